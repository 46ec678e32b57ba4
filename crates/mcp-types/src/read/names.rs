/// The names of an object's members on the wire: each behind its length. One text without pointers, for little space.
///
/// They are looked for behind the last one that was found: members mostly come in the order of the struct.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    all: &'static str,
    rest: &'static str,
    place: usize,
}

/// What an object is on the wire.
pub(crate) struct Layout {
    /// The name of the type, for errors.
    pub(crate) what: &'static str,
    /// The [`names!`] of its members.
    pub(crate) names: &'static str,
    /// Which of them must be there: a bit for each, by [`needed`](super::needed).
    pub(crate) needed: u64,
}

/// The text of [`Names`] out of names of fields, which stand for their camel case, and of what stands behind `=` as it is.
macro_rules! names {
    ($($field:expr),* $(,)?) => {{
        const FIELDS: &[&str] = &[$($field),*];
        const LENGTH: usize = $crate::read::encoded_length(FIELDS);
        const ENCODED: [u8; LENGTH] = $crate::read::encoded(FIELDS);
        const TEXT: &str = match std::str::from_utf8(&ENCODED) {
            Ok(text) => text,
            Err(_) => panic!("names are ASCII"),
        };
        TEXT
    }};
}
pub(crate) use names;

impl Names {
    pub(crate) const fn of(encoded: &'static str) -> Self {
        Self { all: encoded, rest: encoded, place: 0 }
    }

    /// The place of `key`.
    pub(crate) fn find(&mut self, key: &str) -> Option<usize> {
        let (rest, place) = (self.rest, self.place);
        self.search(rest, place, usize::MAX, key).or_else(|| self.search(self.all, 0, place, key))
    }

    /// The name behind the last one that was found or given.
    pub(crate) fn next(&mut self) -> Option<&'static str> {
        let (name, rest) = split(self.rest)?;
        (self.rest, self.place) = (rest, self.place + 1);
        Some(name)
    }

    fn search(&mut self, mut names: &'static str, first: usize, end: usize, key: &str) -> Option<usize> {
        let mut place = first;
        while place < end {
            let (name, rest) = split(names)?;
            if name == key {
                (self.rest, self.place) = (rest, place + 1);
                return Some(place);
            }
            (names, place) = (rest, place + 1);
        }
        None
    }

    /// The name at `place`.
    pub(crate) fn name(&self, place: usize) -> &'static str {
        let mut names = Self::of(self.all);
        for _ in 0..place {
            names.next();
        }
        names.next().unwrap_or_default()
    }
}

fn split(names: &'static str) -> Option<(&'static str, &'static str)> {
    let length = usize::from(*names.as_bytes().first()?);
    names[1..].split_at_checked(length)
}

pub(crate) const fn encoded_length(fields: &[&str]) -> usize {
    let mut length = 0;
    let mut at = 0;
    while at < fields.len() {
        length += 1 + wire_length(fields[at].as_bytes());
        at += 1;
    }
    length
}

pub(crate) const fn encoded<const LENGTH: usize>(fields: &[&str]) -> [u8; LENGTH] {
    let mut out = [0; LENGTH];
    let mut end = 0;
    let mut at = 0;
    while at < fields.len() {
        let field = fields[at].as_bytes();
        let length = wire_length(field);
        assert!(length < 128, "a name is too long");
        #[expect(clippy::cast_possible_truncation, reason = "checked in the line above")]
        let length = length as u8;
        out[end] = length;
        end += 1;
        let as_it_is = field[0] == b'=';
        let mut from = as_it_is as usize;
        while from < field.len() {
            let mut byte = field[from];
            if byte == b'_' && !as_it_is {
                from += 1;
                byte = field[from].to_ascii_uppercase();
            }
            out[end] = byte;
            end += 1;
            from += 1;
        }
        at += 1;
    }
    out
}

const fn wire_length(field: &[u8]) -> usize {
    if field[0] == b'=' {
        return field.len() - 1;
    }
    let mut length = 0;
    let mut at = 0;
    while at < field.len() {
        length += (field[at] != b'_') as usize;
        at += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_found_from_any_place() {
        let mut names = Names::of(names!("=type", "input_schema", "name", "=_meta"));
        for _ in 0..2 {
            for (key, place) in [
                ("name", Some(2)),
                ("inputSchema", Some(1)),
                ("input_schema", None),
                ("_meta", Some(3)),
                ("type", Some(0)),
                ("meta", None),
                ("inputSchem", None),
                ("inputSchemas", None),
                ("", None),
                ("_meta", Some(3)),
            ] {
                assert_eq!(names.find(key), place, "{key}");
            }
        }
        assert_eq!(names.name(1), "inputSchema");
        assert_eq!(names.name(3), "_meta");
        assert_eq!(Names::of(names!()).find("a"), None);
    }
}
