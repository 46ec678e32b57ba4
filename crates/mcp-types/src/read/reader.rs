use std::{borrow::Cow, fmt};

use serde_core::de::{Error as _, Unexpected};
use serde_json::value::RawValue;

use super::{
    Error, Result, Slot,
    names::{Layout, Names},
};
use crate::{
    Json, Rejected,
    jsonrpc::scan,
    list::MAX_REJECTED,
    number::{signed, unsigned},
};

/// A place in a JSON text. Every method reads on from it; the errors say where it was.
pub struct Reader<'de> {
    text: &'de str,
    at: usize,
    /// Where the lines and columns of errors count from.
    origin: usize,
}

impl<'de> Reader<'de> {
    /// At the beginning of `text`.
    pub fn new(text: &'de str) -> Self {
        Self { text, at: 0, origin: 0 }
    }

    /// Reads an object into `slots`, one for each name of the layout.
    pub(crate) fn object(&mut self, layout: &Layout, slots: &mut [&mut dyn Slot]) -> Result<()> {
        self.open(b'{', format_args!("an object ({})", layout.what))?;
        let mut names = Names::of(layout.names);
        let mut seen = 0_u64;
        let mut first = true;
        while let Some(key) = self.key(first)? {
            first = false;
            let Some(place) = names.find(&key) else {
                self.raw()?;
                continue;
            };
            if seen & (1 << place) != 0 {
                return Err(self.error(format_args!("duplicate field `{key}`")));
            }
            seen |= 1 << place;
            slots[place].fill(self)?;
        }
        match (layout.needed & !seen).trailing_zeros() {
            u64::BITS => Ok(()),
            place => Err(self.error(format_args!("missing field `{}`", names.name(place as usize)))),
        }
    }

    /// Reads an object, member by member.
    ///
    /// # Errors
    /// When what comes next is no object (`what` says in the error what was expected), or `each` fails.
    pub fn entries(
        &mut self,
        what: &'static str,
        each: &mut dyn FnMut(Cow<'de, str>, &mut Self) -> Result<()>,
    ) -> Result<()> {
        self.open(b'{', format_args!("{what}"))?;
        let mut first = true;
        while let Some(key) = self.key(first)? {
            first = false;
            each(key, self)?;
        }
        Ok(())
    }

    /// Reads a list, element by element.
    ///
    /// # Errors
    /// When what comes next is no list, or `each` fails.
    pub fn elements(&mut self, each: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.open(b'[', format_args!("a list"))?;
        let mut first = true;
        while self.has_element(first)? {
            first = false;
            each(self)?;
        }
        Ok(())
    }

    /// Reads a list, or `null`, and gives the elements that cannot be read.
    pub(crate) fn good_elements(
        &mut self,
        each: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<Vec<Rejected>> {
        let mut rejected = Vec::new();
        if self.null() {
            return Ok(rejected);
        }
        let origin = self.origin;
        let mut index = 0;
        self.elements(&mut |reader| {
            reader.space();
            let start = reader.at;
            reader.origin = start;
            let read = each(reader);
            reader.origin = origin;
            if let Err(error) = read {
                reader.at = start;
                let json = Json::from(reader.raw()?.to_owned());
                if rejected.len() == MAX_REJECTED {
                    return Err(error);
                }
                rejected.push(Rejected { index, reason: error.to_string(), json });
            }
            index += 1;
            Ok(())
        })?;
        Ok(rejected)
    }

    /// The string member `key` of the object that comes next, which is not read yet. Nothing is copied when it comes first,
    /// which is how nearly everybody writes it.
    pub(crate) fn kind(&mut self, key: &'static str) -> Result<Cow<'de, str>> {
        self.space();
        let start = self.at;
        self.open(b'{', format_args!("an object with a member `{key}`"))?;
        let kind = if self.key(true)?.is_some_and(|first| first == key) {
            self.string()?
        } else {
            self.at = start;
            let text = self.raw()?.get();
            let Some(range) = scan::member(text.as_bytes(), key) else {
                return Err(self.error(format_args!("missing field `{key}`")));
            };
            Reader::new(&text[range]).string()?
        };
        self.at = start;
        Ok(kind)
    }

    /// A string.
    ///
    /// # Errors
    /// When what comes next is none.
    pub fn string(&mut self) -> Result<Cow<'de, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(format_args!("a string")));
        }
        let start = self.at + 1;
        let end = self.piece(start)?;
        if self.text.as_bytes()[end] == b'\\' {
            return self.escaped(start, end).map(Cow::Owned);
        }
        self.at = end + 1;
        Ok(Cow::Borrowed(&self.text[start..end]))
    }

    /// The string whose text begins at `start`, with its first escape at `end`. The escapes that people write are read here,
    /// because `serde_json` on its own would copy a string once more; what takes care is left to it.
    fn escaped(&mut self, mut start: usize, mut end: usize) -> Result<String> {
        let bytes = self.text.as_bytes();
        let length = scan::skip_value(bytes, self.at).map_or(0, |behind| behind - start);
        let mut out = String::with_capacity(length);
        loop {
            out.push_str(&self.text[start..end]);
            if bytes[end] == b'"' {
                self.at = end + 1;
                return Ok(out);
            }
            out.push(match bytes.get(end + 1) {
                Some(b'n') => '\n',
                Some(b'"') => '"',
                Some(b'\\') => '\\',
                Some(b'/') => '/',
                Some(b't') => '\t',
                Some(b'r') => '\r',
                _ => return Ok(serde_json::from_str(self.token()?)?),
            });
            start = end + 2;
            end = self.piece(start)?;
        }
    }

    fn piece(&self, start: usize) -> Result<usize> {
        let end = scan::piece(self.text.as_bytes(), start);
        end.ok_or_else(|| self.error("a string without an end, or with a control character"))
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// When what comes next is neither.
    pub fn boolean(&mut self) -> Result<bool> {
        self.space();
        let rest = &self.text.as_bytes()[self.at..];
        let (value, length) = match rest {
            [b't', b'r', b'u', b'e', ..] => (true, 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (false, 5),
            _ => return Err(self.unexpected(format_args!("a boolean"))),
        };
        self.at += length;
        Ok(value)
    }

    /// A whole number, written without a fraction or an exponent.
    pub(crate) fn integer<T>(&mut self, expected: &'static str, parse: fn(&str) -> Option<T>) -> Result<T> {
        self.space();
        let start = self.at;
        let number = self.number().and_then(parse);
        if number.is_none() {
            self.at = start;
        }
        number.ok_or_else(|| self.unexpected(format_args!("{expected}")))
    }

    /// The number that comes next, as it is. As JSON, which knows no `+` and no zeros in front.
    pub(crate) fn number(&mut self) -> Option<&'de str> {
        self.space();
        let rest = &self.text[self.at..];
        let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
        let at = |place: usize| rest.as_bytes().get(place).copied();
        let mut end = usize::from(at(0) == Some(b'-'));
        let part = |end: &mut usize| {
            let count = digits(*end);
            *end += count;
            (count > 0).then_some(())
        };
        if at(end) == Some(b'0') {
            end += 1;
        } else {
            part(&mut end)?;
        }
        if at(end) == Some(b'.') {
            end += 1;
            part(&mut end)?;
        }
        if let Some(b'e' | b'E') = at(end) {
            end += 1 + usize::from(matches!(at(end + 1), Some(b'+' | b'-')));
            part(&mut end)?;
        }
        self.at += end;
        Some(&rest[..end])
    }

    /// The value that comes next, as it is.
    ///
    /// # Errors
    /// When it is no JSON.
    pub fn raw(&mut self) -> Result<&'de RawValue> {
        let mut values = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter();
        let raw = values.next();
        self.at += values.byte_offset();
        match raw {
            Some(raw) => Ok(raw?),
            None => Err(Error::custom("expected a value")),
        }
    }

    /// Passes the value that comes next.
    ///
    /// # Errors
    /// When it is no JSON.
    pub fn skip(&mut self) -> Result<()> {
        // What is skipped most.
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') if self.number().is_some() => Ok(()),
            _ => self.raw().map(drop),
        }
    }

    /// Whether `null` comes next; then it is read.
    pub fn null(&mut self) -> bool {
        self.space();
        let found = self.text.as_bytes()[self.at..].starts_with(b"null");
        if found {
            self.at += 4;
        }
        found
    }

    /// The first byte of what comes next: `{`, `[`, `"`, or the first of a scalar.
    pub fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.as_bytes().get(self.at).copied()
    }

    /// That nothing comes any more.
    pub(crate) fn end(&mut self) -> Result<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.error("trailing characters")) }
    }

    pub(crate) fn skip_all(&mut self) {
        self.at = self.text.len();
    }

    /// An error at this place.
    #[cold]
    pub fn error(&self, message: impl fmt::Display) -> Error {
        self.error_at(format_args!("{message}"))
    }

    #[cold]
    fn error_at(&self, message: fmt::Arguments<'_>) -> Error {
        let read = &self.text.as_bytes()[self.origin..self.at];
        let line = memchr::memchr_iter(b'\n', read).count() + 1;
        let column = memchr::memrchr(b'\n', read).map_or(read.len(), |at| read.len() - at - 1);
        Error::custom(format_args!("{message} at line {line} column {column}"))
    }

    #[cold]
    pub(crate) fn unexpected(&mut self, expected: fmt::Arguments<'_>) -> Error {
        let byte = self.peek();
        let start = self.at;
        // What is no JSON is told by `text`.
        let Ok(token) = (if matches!(byte, Some(b'{' | b'[')) { Ok("") } else { self.token() }) else {
            self.at = start;
            return self.error("expected a value");
        };
        let text;
        let found = match byte {
            Some(b'{') => Unexpected::Map,
            Some(b'[') => Unexpected::Seq,
            Some(b'n') => Unexpected::Other("null"),
            Some(b't' | b'f') => Unexpected::Bool(token == "true"),
            Some(b'"') => {
                text = super::text::<String>(token).unwrap_or_default();
                Unexpected::Str(&text)
            }
            _ => match (unsigned(token), signed(token)) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (_, Some(number)) => Unexpected::Signed(number),
                _ => Unexpected::Float(token.parse().unwrap_or(f64::NAN)),
            },
        };
        self.error_at(format_args!("invalid type: {found}, expected {expected}"))
    }

    fn space(&mut self) {
        self.at = scan::skip_space(self.text.as_bytes(), self.at);
    }

    /// The string or the scalar that comes next; what is between its ends is not looked at.
    fn token(&mut self) -> Result<&'de str> {
        self.space();
        let start = self.at;
        match scan::skip_value(self.text.as_bytes(), start) {
            Ok(end) => {
                self.at = end;
                Ok(&self.text[start..end])
            }
            Err(_) => Err(self.error("expected a value")),
        }
    }

    fn open(&mut self, bracket: u8, expected: fmt::Arguments<'_>) -> Result<()> {
        if self.peek() != Some(bracket) {
            return Err(self.unexpected(expected));
        }
        self.at += 1;
        Ok(())
    }

    /// The name of the next member, or `None` behind the last one.
    fn key(&mut self, first: bool) -> Result<Option<Cow<'de, str>>> {
        if !self.goes_on(b'}', first)? {
            return Ok(None);
        }
        let key = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.error("expected `:`"));
        }
        self.at += 1;
        self.space();
        Ok(Some(key))
    }

    /// Whether there is another element.
    fn has_element(&mut self, first: bool) -> Result<bool> {
        self.goes_on(b']', first)
    }

    fn goes_on(&mut self, end: u8, first: bool) -> Result<bool> {
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                // No value follows a comma that is the last.
                if self.peek() == Some(end) { Err(self.error("trailing comma")) } else { Ok(true) }
            }
            Some(_) if first => Ok(true),
            _ => Err(self.error("expected `,` or the end")),
        }
    }
}
