use std::time::Instant;

use mcp_types::{Json, JsonObject};

use super::no_answers;
use crate::{
    args::Ping,
    console,
    failure::{Failure, Status},
    session::with_client,
};

pub(super) async fn run(verb: Ping) -> Result<Status, Failure> {
    let (took, revision) = with_client(&verb.target, &verb.common, &no_answers(), async |client| {
        let begun = Instant::now();
        client.ping().await?;
        Ok((begun.elapsed(), client.revision()))
    })
    .await?;
    let milliseconds = took.as_secs_f64() * 1000.0;
    if verb.common.json {
        let document = JsonObject::from([
            ("milliseconds", Json::from(milliseconds)),
            ("revision", revision.as_str().into()),
        ]);
        console::print_json(Json::from(document).as_str());
    } else {
        console::print_line(&format!("answered after {milliseconds:.1} ms, revision {revision}"));
    }
    Ok(Status::Success)
}
