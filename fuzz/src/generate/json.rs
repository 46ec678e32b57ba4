use super::Random;

/// A JSON value to be twisted and written: its members may stand twice, its scalars may be anything.
#[derive(Debug, Clone)]
pub enum Json {
    /// Text that stands for a value.
    Raw(String),
    /// A list.
    Array(Vec<Json>),
    /// Members.
    Object(Vec<(String, Json)>),
}

/// What may stand where something else is meant.
const ODD: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "1.0",
    "1.50",
    "1e3",
    "1e999",
    "-1e-999",
    "9007199254740993",
    "9223372036854775808",
    "18446744073709551616",
    "\"\"",
    "\"x\"",
    "\"\\u0000\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[null]",
    "[[{}]]",
    "{\"\":null}",
    "{\"a\":1,\"a\":2}",
    "tru",
    "01",
    "\"",
    "",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "user",
    "text/plain",
    "file:///a",
    "complete",
    "form",
    "url",
    "object",
    "\u{0}\u{1f}",
    "\"\\/",
    "\u{2028}",
    "\u{1f600}",
    "2025-11-25",
    "_meta",
    "type",
];

impl Json {
    /// A JSON string.
    pub fn text(text: &str) -> Self {
        Self::Raw(serde_json::to_string(text).expect("a string can be written"))
    }

    /// A JSON text, or something like one.
    pub fn raw(text: &str) -> Self {
        Self::Raw(text.to_owned())
    }

    /// Some string.
    pub fn some_text(random: &mut Random) -> Self {
        Self::text(random.pick(TEXTS))
    }

    /// Some open value.
    pub fn any(random: &mut Random, depth: usize) -> Self {
        match random.below(if depth == 0 { 2 } else { 4 }) {
            0 => Self::some_text(random),
            1 => Self::raw(random.pick(&["1", "9007199254740993", "1.50", "null", "true", "-1e-7"])),
            2 => Self::Array((0..random.below(3)).map(|_| Self::any(random, depth - 1)).collect()),
            _ => Self::Object(
                (0..random.below(4))
                    .map(|_| (random.pick(TEXTS).to_owned(), Self::any(random, depth - 1)))
                    .collect(),
            ),
        }
    }

    /// Written, most of the time after some changes: to the values, and rarely to the bytes.
    pub fn twisted(mut self, random: &mut Random) -> Vec<u8> {
        while !random.one_in(3) {
            self.change(random);
        }
        let mut bytes = self.written(random).into_bytes();
        if random.one_in(5) {
            change_bytes(&mut bytes, random);
        }
        bytes
    }

    /// Changes one place, chosen on a walk down from here.
    fn change(&mut self, random: &mut Random) {
        let stay = random.one_in(4);
        match self {
            Self::Object(members) if !members.is_empty() && !stay => {
                let at = random.below(members.len());
                match random.below(12) {
                    0 => drop(members.remove(at)),
                    1 => members.push(members[at].clone()),
                    2 => members.reverse(),
                    3 => members[at].0 = random.pick(TEXTS).to_owned(),
                    4 => members.insert(at, ("x-unknown".to_owned(), Self::any(random, 2))),
                    _ => members[at].1.change(random),
                }
            }
            Self::Array(elements) if !elements.is_empty() && !stay => {
                let at = random.below(elements.len());
                match random.below(8) {
                    0 => drop(elements.remove(at)),
                    1 => elements.insert(at, Self::any(random, 2)),
                    _ => elements[at].change(random),
                }
            }
            // The members of a struct in order: what some readers take for it.
            Self::Object(members) if random.one_in(4) => {
                *self = Self::Array(std::mem::take(members).into_iter().map(|(_, value)| value).collect());
            }
            _ if random.one_in(40) => *self = Self::raw(&"[".repeat(200)),
            _ => *self = Self::raw(random.pick(ODD)),
        }
    }

    /// As text, with white space between the tokens here and there, and now and then an escape in a name.
    pub fn written(&self, random: &mut Random) -> String {
        let mut out = String::new();
        let spaced = random.one_in(4);
        self.write(&mut out, random, spaced);
        out
    }

    fn write(&self, out: &mut String, random: &mut Random, spaced: bool) {
        let space = |out: &mut String, random: &mut Random| {
            if spaced {
                out.push_str(random.pick(&["", "", " ", "\t", "\r\n"]));
            }
        };
        match self {
            Self::Raw(text) => out.push_str(text),
            Self::Array(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    space(out, random);
                    element.write(out, random, spaced);
                    space(out, random);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    space(out, random);
                    out.push_str(&name_text(name, random));
                    space(out, random);
                    out.push(':');
                    space(out, random);
                    value.write(out, random, spaced);
                    space(out, random);
                }
                out.push('}');
            }
        }
    }
}

fn name_text(name: &str, random: &mut Random) -> String {
    let text = serde_json::to_string(name).expect("a string can be written");
    match name.chars().next() {
        Some(first) if first.is_ascii_lowercase() && random.one_in(60) => {
            format!("\"\\u{:04x}{}", u32::from(first), &text[2..])
        }
        _ => text,
    }
}

fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => {
                let copy = bytes[at..bytes.len().min(at + random.below(9))].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => bytes.insert(at, random.pick(b"{}[]\",:\\\n\r\t\0 n0-.e\xff\xc3")),
        }
    }
}
