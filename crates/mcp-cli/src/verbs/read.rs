use mcp_types::ResourceContents;

use crate::{
    args::Read,
    console,
    content::{Printer, decode},
    failure::{Failure, Status},
    session::with_client,
};

pub(super) async fn run(verb: Read) -> Result<Status, Failure> {
    let (result, raw) = with_client(&verb.target, &verb.common, &verb.answers, async |client| {
        let reply = client.read_resource(&verb.uri).await?;
        let raw = String::from_utf8_lossy(reply.raw()).into_owned();
        Ok((reply.into_inner(), raw))
    })
    .await?;
    if verb.common.json {
        console::print_json(&raw);
    }
    // Bytes alone go to a file or a pipe as they are.
    if let (false, false, None, [ResourceContents::Blob(blob)]) =
        (verb.common.json, console::stdout_is_terminal(), &verb.save, &*result.contents)
    {
        let bytes = decode(&blob.blob)
            .ok_or_else(|| Failure::new(Status::Protocol, "the contents are not base64"))?;
        console::print_bytes(&bytes);
        return Ok(Status::Success);
    }
    let name = verb.uri.rsplit('/').next().unwrap_or_default();
    let printer = Printer::new(verb.save.as_deref(), name, !verb.common.json);
    for contents in &result.contents {
        printer.contents(contents)?;
    }
    for rejected in result.contents.rejected() {
        let reason = console::safe_line(&rejected.reason);
        console::note(&format!("contents {} cannot be read: {reason}", rejected.index));
    }
    Ok(Status::Success)
}
