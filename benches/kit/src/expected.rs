//! What the server answers, and how a driver checks it. Both sides use it.

use std::fmt::Write as _;

use crate::Failure;

/// The name of the tool `index` of a list.
pub fn tool_name(index: usize) -> String {
    format!("tool_{index:05}")
}

/// The schema of the arguments of the tool `index`: about 700 bytes, as tools of real servers have.
pub fn input_schema(index: usize) -> String {
    let mut text = String::from(r#"{"type":"object","properties":{"#);
    for (at, name) in PROPERTIES.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}"{name}_{index}":{{"type":"string","description":"The {name} that the operation applies to","maxLength":{}}}"#,
            100 + at
        );
    }
    let _ = write!(text, r#"}},"required":["{}_{index}"],"additionalProperties":false}}"#, PROPERTIES[0]);
    text
}

/// How many members `properties` of [`input_schema`] has.
pub const PROPERTIES: [&str; 6] = ["repository", "branch", "path", "author", "since", "page"];

/// The whole definition of the tool `index`.
pub fn tool(index: usize) -> String {
    format!(
        r#"{{"name":"{}","title":"Tool number {index}","description":"Looks something up in a repository and gives it back as text. Number {index} of many; the words are here so that the definition has the length that such definitions have in practice.","inputSchema":{},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#,
        tool_name(index),
        input_schema(index)
    )
}

/// Every so many tools, the schema is compared in full.
pub const SAMPLE: usize = 97;

/// The text that is echoed: 35 bytes.
pub fn message(index: u64) -> String {
    format!("message {index:010}, of 35 bytes, ok")
}

/// The text of a payload.
pub fn payload(size: usize) -> String {
    const LINE: &str = "The quick brown fox jumps over the lazy dog, again and again. ";
    let mut text = LINE.repeat(size / LINE.len() + 1);
    text.truncate(size);
    text
}

/// Checks the length of a payload, and a byte of every page of it.
pub fn check_payload(text: &str, size: usize) -> Result<(), Failure> {
    const PAGE: usize = 4096;
    if text.len() != size {
        return Err(format!("{} bytes of {size}", text.len()).into());
    }
    let pattern = payload(62);
    let wrong = (0..size)
        .step_by(PAGE)
        .chain(size.checked_sub(1))
        .find(|at| text.as_bytes()[*at] != pattern.as_bytes()[at % pattern.len()]);
    wrong.map_or(Ok(()), |at| Err(format!("a wrong byte at {at}").into()))
}

/// Checks what a call gave.
pub fn check<T: PartialEq + std::fmt::Debug + ?Sized>(got: &T, expected: &T) -> Result<(), Failure> {
    if got == expected { Ok(()) } else { Err(format!("{got:?} where {expected:?} was expected").into()) }
}
