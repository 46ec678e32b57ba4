/// The names of an object's members on the wire: each behind its length. One text without pointers, for little space.
///
/// They are looked for behind the last one that was found: members mostly come in the order of the struct.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    all: &'static [u8],
    rest: &'static [u8],
    place: usize,
}

/// [`Names`] out of names of fields, which stand for their camel case, and of what stands behind `=` as it is.
macro_rules! names {
    ($($field:expr),* $(,)?) => {{
        const FIELDS: &[&str] = &[$($field),*];
        const LENGTH: usize = $crate::read::encoded_length(FIELDS);
        const ENCODED: [u8; LENGTH] = $crate::read::encoded(FIELDS);
        $crate::read::Names::of(&ENCODED)
    }};
}
pub(crate) use names;

impl Names {
    pub(crate) const fn of(encoded: &'static [u8]) -> Self {
        Self { all: encoded, rest: encoded, place: 0 }
    }

    /// The place of `key`.
    pub(crate) fn find(&mut self, key: &str) -> Option<usize> {
        let (rest, place) = (self.rest, self.place);
        self.search(rest, place, usize::MAX, key).or_else(|| self.search(self.all, 0, place, key))
    }

    fn search(&mut self, mut names: &'static [u8], first: usize, end: usize, key: &str) -> Option<usize> {
        let mut place = first;
        while place < end {
            let (name, rest) = split(names)?;
            if name == key.as_bytes() {
                (self.rest, self.place) = (rest, place + 1);
                return Some(place);
            }
            (names, place) = (rest, place + 1);
        }
        None
    }

    /// The name at `place`.
    pub(crate) fn name(&self, place: usize) -> String {
        let mut names = self.all;
        for _ in 0..place {
            names = split(names).map_or(&[], |(_, rest)| rest);
        }
        split(names).map(|(name, _)| String::from_utf8_lossy(name).into_owned()).unwrap_or_default()
    }
}

fn split(names: &'static [u8]) -> Option<(&'static [u8], &'static [u8])> {
    let (length, names) = names.split_first()?;
    names.split_at_checked(usize::from(*length))
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
        assert!(length < 256, "a name is too long");
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
    #[test]
    fn names_are_found_from_any_place() {
        let mut names = names!("=type", "input_schema", "name", "=_meta");
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
        assert_eq!(names!().find("a"), None);
    }
}
