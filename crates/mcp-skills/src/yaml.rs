//! The YAML of a front matter as the values that JSON has, by the core schema of YAML 1.2, within bounds.

use std::collections::{BTreeMap, HashMap};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

/// Of a text in bytes; and of what comes of it, one for each value and for each byte of text. An alias counts as what it stands for, so that a few of them cannot
/// become a great many values.
const MAX_WEIGHT: usize = 1024 * 1024;
const MAX_DEPTH: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

/// Reads one document.
///
/// # Errors
/// It is not YAML, holds what JSON cannot, or is too large.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    if text.len() > MAX_WEIGHT {
        return Err("too much".to_owned());
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        builder.take(event).map_err(|why| format!("line {}: {why}", span.start.line()))?;
    }
    Ok(builder.done.unwrap_or(Value::Null))
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    /// Values that have an anchor, with their weight.
    anchors: HashMap<usize, (Value, usize)>,
    weight: usize,
    done: Option<Value>,
}

/// A collection that has begun.
struct Open {
    kind: Kind,
    anchor: usize,
    /// That of everything before it.
    weight: usize,
}

enum Kind {
    List(Vec<Value>),
    /// The key that waits for its value.
    Map(BTreeMap<String, Value>, Option<String>),
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let before = self.weight;
                self.weigh(1 + text.len())?;
                if self.takes_key() {
                    return self.key(text.into_owned());
                }
                let value = scalar(&text, style, tag.as_deref())?;
                self.put(value, anchor, before)
            }
            Event::Alias(anchor) => {
                let before = self.weight;
                let (value, weight) = self.anchors.get(&anchor).ok_or("an alias of nothing")?.clone();
                self.weigh(weight)?;
                if self.takes_key() {
                    return Err("an alias as a key".to_owned());
                }
                self.put(value, 0, before)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(Kind::List(Vec::new()), anchor, tag.as_deref(), "seq")
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(Kind::Map(BTreeMap::new(), None), anchor, tag.as_deref(), "map")
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop().ok_or("an end without a beginning")?;
                let value = match open.kind {
                    Kind::List(values) => Value::List(values),
                    Kind::Map(members, _) => Value::Map(members),
                };
                self.put(value, open.anchor, open.weight)
            }
            Event::DocumentStart(_) if self.done.is_some() => Err("more than one document".to_owned()),
            _ => Ok(()),
        }
    }

    fn weigh(&mut self, weight: usize) -> Result<(), String> {
        self.weight = self.weight.saturating_add(weight);
        if self.weight > MAX_WEIGHT { Err("too much".to_owned()) } else { Ok(()) }
    }

    fn takes_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { kind: Kind::Map(_, None), .. }))
    }

    /// In JSON every key is text.
    fn key(&mut self, text: String) -> Result<(), String> {
        if let Some(Open { kind: Kind::Map(members, key), .. }) = self.open.last_mut() {
            if members.contains_key(&text) {
                return Err(format!("the key {text:?} is there twice"));
            }
            *key = Some(text);
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind, anchor: usize, tag: Option<&Tag>, own: &str) -> Result<(), String> {
        let weight = self.weight;
        self.weigh(1)?;
        if self.takes_key() {
            return Err("a key that is no text".to_owned());
        }
        if tag.is_some_and(|tag| core(tag) != Some(own)) {
            return Err("a tag that is not known".to_owned());
        }
        if self.open.len() == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} levels"));
        }
        self.open.push(Open { kind, anchor, weight });
        Ok(())
    }

    fn put(&mut self, value: Value, anchor: usize, before: usize) -> Result<(), String> {
        if anchor != 0 {
            // Kept beside the value itself.
            let weight = self.weight - before;
            self.weigh(weight)?;
            self.anchors.insert(anchor, (value.clone(), weight));
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            Some(Kind::List(values)) => values.push(value),
            Some(Kind::Map(members, key)) => {
                members.insert(key.take().ok_or("a value without a key")?, value);
            }
            None => self.done = Some(value),
        }
        Ok(())
    }
}

/// The name of a tag of the core schema: `str` of `!!str`.
fn core(tag: &Tag) -> Option<&str> {
    tag.is_yaml_core_schema().then_some(tag.suffix.as_str())
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    let resolved =
        || if style == ScalarStyle::Plain { plain(text) } else { Ok(Value::Text(text.to_owned())) };
    let Some(tag) = tag else { return resolved() };
    let value = match core(tag) {
        Some("str") => return Ok(Value::Text(text.to_owned())),
        Some(_) => plain(text)?,
        None => return Err("a tag that is not known".to_owned()),
    };
    match (core(tag), value) {
        (Some("null"), Value::Null) => Ok(Value::Null),
        (Some("bool"), Value::Bool(value)) => Ok(Value::Bool(value)),
        (Some("int"), Value::Int(value)) => Ok(Value::Int(value)),
        (Some("float"), value @ (Value::Float(_) | Value::Int(_))) => Ok(value),
        _ => Err("a value that is not what its tag says".to_owned()),
    }
}

/// Section 10.3.2 of YAML 1.2.2.
fn plain(text: &str) -> Result<Value, String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let large = |_| format!("the number {text:?} is too large");
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Err("no number".to_owned()),
        _ if matches!(unsigned, ".inf" | ".Inf" | ".INF") => return Err("an infinite number".to_owned()),
        _ if is_digits(unsigned, |c| c.is_ascii_digit()) => match text.parse() {
            Ok(number) => Value::Int(number),
            // As readers of JSON have it.
            Err(_) => Value::Float(text.parse().map_err(|_| format!("the number {text:?}"))?),
        },
        _ if is_float(unsigned) => Value::Float(text.parse().map_err(|_| format!("the number {text:?}"))?),
        _ => match (text.strip_prefix("0o"), text.strip_prefix("0x")) {
            (Some(octal), _) if is_digits(octal, |c| matches!(c, '0'..='7')) => {
                Value::Int(i128::from_str_radix(octal, 8).map_err(large)?)
            }
            (_, Some(hex)) if is_digits(hex, |c| c.is_ascii_hexdigit()) => {
                Value::Int(i128::from_str_radix(hex, 16).map_err(large)?)
            }
            _ => Value::Text(text.to_owned()),
        },
    })
}

fn is_digits(text: &str, is_digit: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is_digit)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|text| text.strip_prefix(['-', '+']).unwrap_or(text));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|text| is_digits(text, |c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (yaml, value) in [
            ("~", Value::Null),
            ("True", Value::Bool(true)),
            ("yes", text("yes")),
            ("012", Value::Int(12)),
            ("-7", Value::Int(-7)),
            ("0o17", Value::Int(15)),
            ("0xFf", Value::Int(255)),
            ("1.50", Value::Float(1.5)),
            (".5", Value::Float(0.5)),
            ("5.", Value::Float(5.0)),
            ("1e3", Value::Float(1000.0)),
            (".", text(".")),
            ("1e", text("1e")),
            ("1.2.3", text("1.2.3")),
            ("2026-07-28", text("2026-07-28")),
            ("'1'", text("1")),
            ("\"a\\u00e9\"", text("aé")),
            ("!!str 1", text("1")),
            ("!!int 1", Value::Int(1)),
            ("|\n  a\n  b\n", text("a\nb\n")),
            (">-\n  a\n  b\n", text("a b")),
            ("18446744073709551616", Value::Int(1 << 64)),
        ] {
            assert_eq!(parse(yaml), Ok(value), "{yaml}");
        }
    }

    #[test]
    fn collections_nest_and_aliases_stand_for_their_anchors() {
        let list = Value::List(vec![Value::Int(1), text("x")]);
        let expected = map([("a", list.clone()), ("b", map([("1", list)])), ("c", Value::Null)]);
        assert_eq!(parse("a: &l [1, x] # comment\nb:\n  1: *l\nc:\n"), Ok(expected));
        assert_eq!(parse(""), Ok(Value::Null));
    }

    #[test]
    fn what_json_cannot_hold_is_an_error() {
        for yaml in [
            "a: 1\na: 2",
            "? [a]\n: 1",
            "? {a: 1}\n: 1",
            "a: &k x\n*k : 1",
            "a: .inf",
            "a: .nan",
            "a: !mine 1",
            "a: !!int x",
            "a: !!set {x}",
            "a: *none",
            "a: 1\n---\nb: 2",
            "a: [",
            "\t- a: b: c",
        ] {
            assert!(parse(yaml).is_err(), "{yaml}");
        }
    }

    #[test]
    fn aliases_cannot_grow_without_bounds() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..30 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            let _ = writeln!(bomb, "a{level}: &a{level} [{aliases}]");
        }
        assert!(parse(&bomb).unwrap_err().contains("too much"));
        let long = format!("a: &a {}\nb: [{}]", "x".repeat(100_000), vec!["*a"; 20].join(","));
        assert!(parse(&long).unwrap_err().contains("too much"));
    }

    /// About a second each where it is linear, and hours where it is not.
    #[test]
    fn the_largest_texts_take_no_more_time_than_their_length() {
        let keys: String = (0..MAX_WEIGHT / 8).fold(String::new(), |mut text, key| {
            let _ = writeln!(text, "{key:x}:");
            text
        });
        let begun = std::time::Instant::now();
        for part in [
            "[", "- ", "? ", "a: ", "{a: ", "[],", "&a ", "!!a ", "# a\n", "\"", "'", "|\n", "\n ", "%a\n",
            "*a ",
        ] {
            let _ = parse(&part.repeat(MAX_WEIGHT / part.len()));
        }
        assert!(parse(&keys).is_ok());
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
        let mut block = String::new();
        for level in 0..500 {
            let _ = writeln!(block, "{}a:", " ".repeat(level));
        }
        assert!(parse(&block).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(---|\\.\\.\\.|%YAML 1.2|%TAG ! !a|<<|!!|!<a>|&a |\\*a |: |- |\\? |\\||>|\\|2-|>\\+|[-a:&*!\\[\\]{}\"'|>?,#%@` \n\t\r0-9.~é\\\\]|\\PC|\\n  |\\n){0,30}") {
            let _ = parse(&text);
        }
    }
}
