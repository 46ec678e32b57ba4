//! What a server gives: text is printed, bytes are named, and saved where they are wanted.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD};
use mcp_types::{ContentBlock, Json, ResourceContents};

use crate::{
    console::{self, safe_line},
    failure::{Failure, Status},
};

/// Prints content, and saves bytes.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    save: Option<&'a Path>,
    /// What files are called, before their number.
    stem: String,
    /// Whether anything goes to standard output: not where that holds JSON.
    prints: bool,
}

impl<'a> Printer<'a> {
    /// `name` is what was called: files are named after it.
    pub(crate) fn new(save: Option<&'a Path>, name: &str, prints: bool) -> Self {
        Self { save, stem: stem(name), prints }
    }

    /// # Errors
    /// When a file cannot be written, or what should be bytes is no base64.
    pub(crate) fn block(&self, block: &ContentBlock) -> Result<(), Failure> {
        match block {
            ContentBlock::Text(text) => self.text(&text.text),
            ContentBlock::Image(image) => self.bytes("image", &image.mime_type, &image.data)?,
            ContentBlock::Audio(audio) => self.bytes("audio", &audio.mime_type, &audio.data)?,
            ContentBlock::ResourceLink(link) => {
                let title = link.title.as_deref().unwrap_or(&link.name);
                self.line(&format!("[link {} – {}]", safe_line(&link.uri), safe_line(title)));
            }
            ContentBlock::Resource(embedded) => self.contents(&embedded.resource)?,
            other => {
                let json = serde_json::to_string(other).unwrap_or_default();
                self.line(&format!("[{}] {}", safe_line(other.kind()), console::safe_json(&json)));
            }
        }
        Ok(())
    }

    /// # Errors
    /// As [`block`](Self::block).
    pub(crate) fn contents(&self, contents: &ResourceContents) -> Result<(), Failure> {
        match contents {
            ResourceContents::Blob(blob) => {
                let kind = blob.mime_type.as_deref().unwrap_or("application/octet-stream");
                self.bytes("bytes", kind, &blob.blob)?;
            }
            contents => self.text(contents.as_text().unwrap_or_default()),
        }
        Ok(())
    }

    /// A value that has no text beside it.
    pub(crate) fn json(&self, json: &Json) {
        if self.prints {
            console::print_json(json.as_str());
        }
    }

    fn text(&self, text: &str) {
        if self.prints {
            console::print_text(text);
        }
    }

    fn line(&self, line: &str) {
        if self.prints {
            console::print_line(line);
        }
    }

    fn bytes(&self, what: &str, kind: &str, base64: &str) -> Result<(), Failure> {
        let decoded = decode(base64);
        let shown = safe_line(kind);
        let Some(folder) = self.save else {
            self.line(&match &decoded {
                Some(bytes) => format!("[{what} {shown}, {} bytes; --save DIR keeps them]", bytes.len()),
                None => format!("[{what} {shown}, not base64]"),
            });
            return Ok(());
        };
        let bytes = decoded.ok_or_else(|| {
            Failure::new(Status::Protocol, format!("the server's {what} ({shown}) is not base64"))
        })?;
        let path = save(folder, &self.stem, extension(kind), &bytes)
            .map_err(|error| Failure::usage(format!("--save {}: {error}", folder.display())))?;
        let line = format!("[{what} {shown}, {} bytes: {}]", bytes.len(), path.display());
        if self.prints {
            console::print_line(&line);
        } else {
            console::note(&line);
        }
        Ok(())
    }
}

/// Of either alphabet, with padding or without.
pub(crate) fn decode(base64: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = base64.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD].iter().find_map(|encoding| encoding.decode(&text).ok())
}

/// Writes a new file `STEM-N.EXTENSION`. Nothing is overwritten, and nothing of the server's goes into the path but its
/// letters and digits.
fn save(folder: &Path, stem: &str, extension: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for number in 1..=u32::from(u16::MAX) {
        let path = folder.join(format!("{stem}-{number}.{extension}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many files of that name"))
}

fn stem(name: &str) -> String {
    let stem: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(40).collect();
    let stem = stem.trim_start_matches('-');
    if stem.is_empty() { "content".into() } else { stem.to_owned() }
}

fn extension(kind: &str) -> &'static str {
    match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_every_kind_is_read() {
        for text in ["+/8=", "+/8", "-_8=", "-_8", " +/\n8= "] {
            assert_eq!(decode(text), Some(vec![0xfb, 0xff]), "{text}");
        }
        assert_eq!(decode("not base64!"), None);
    }

    #[test]
    fn a_name_of_the_server_leads_nowhere() {
        assert_eq!(stem("../../etc/passwd"), "etcpasswd");
        assert_eq!(stem("…"), "content");
        assert_eq!(stem("--get-image"), "get-image");
        assert_eq!(extension("image/PNG; charset=x"), "png");
        assert_eq!(extension("../x"), "bin");
    }
}
