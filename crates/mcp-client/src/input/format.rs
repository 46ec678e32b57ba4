//! The forms that a text of an elicitation can be asked to have.

use mcp_types::StringFormat;

/// Whether `text` has the form; if not, what it should be. A form that nobody here knows is the server's to judge.
pub(super) fn fits_format(format: &StringFormat, text: &str) -> Result<(), &'static str> {
    let (fits, why) = match format {
        StringFormat::Email => (is_email(text), "must be an address of electronic mail"),
        StringFormat::Uri => (is_uri(text), "must be a URI"),
        StringFormat::Date => (is_date(text), "must be a date such as 2026-07-28"),
        StringFormat::DateTime => {
            (is_date_time(text), "must be a date and time such as 2026-07-28T12:00:00Z")
        }
        _ => return Ok(()),
    };
    if fits { Ok(()) } else { Err(why) }
}

/// The shape only: who exists is found out by writing to him.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let plain = |c: char| !c.is_control() && !c.is_whitespace();
    let quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let local_fits = quoted || (local.chars().all(|c| plain(c) && c != '@') && has_no_empty_label(local));
    local_fits && domain.chars().all(plain) && has_no_empty_label(domain)
}

fn has_no_empty_label(text: &str) -> bool {
    text.split('.').all(|label| !label.is_empty())
}

/// RFC 3986: a scheme, and no character that has to be escaped.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let in_scheme = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    let mut escaped = rest.split('%').skip(1);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(in_scheme)
        && rest.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b))
        && escaped.all(|after| after.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
}

/// RFC 3339, `full-date`.
fn is_date(text: &str) -> bool {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *text.as_bytes() else { return false };
    let (Some(year), Some(month), Some(day)) =
        (number(&[y0, y1, y2, y3]), number(&[m0, m1]), number(&[d0, d1]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// RFC 3339, `date-time`.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else { return false };
    is_date(date) && is_time(time.as_bytes())
}

fn is_time(time: &[u8]) -> bool {
    let [h0, h1, b':', m0, m1, b':', s0, s1, rest @ ..] = time else { return false };
    let within = |digits: &[u8], most| number(digits).is_some_and(|n| n <= most);
    let offset = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        rest => rest,
    };
    // A minute can have a leap second.
    within(&[*h0, *h1], 23)
        && within(&[*m0, *m1], 59)
        && within(&[*s0, *s1], 60)
        && match offset {
            [b'Z' | b'z'] => true,
            [b'+' | b'-', h0, h1, b':', m0, m1] => within(&[*h0, *h1], 23) && within(&[*m0, *m1], 59),
            _ => false,
        }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_held_to_their_form() {
        for (format, good, bad) in [
            (
                StringFormat::Email,
                &["a@b", "first.last+tag@example.com", "\"a b\"@example.com", "ü@例え.jp"][..],
                &["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b..c", ".a@b", "a@b\n"][..],
            ),
            (
                StringFormat::Uri,
                &[
                    "https://example.com/a?b=c#d",
                    "urn:isbn:1",
                    "mailto:a@b",
                    "file:///a%20b",
                    "http://[::1]/",
                ],
                &[
                    "",
                    "example.com",
                    "//a/b",
                    "1a:b",
                    "https://a b",
                    "https://é",
                    "a:%2",
                    "a:%zz",
                    "a:\n",
                    ":a",
                ],
            ),
            (
                StringFormat::Date,
                &["2026-07-28", "2024-02-29", "2000-02-29", "0000-12-31"],
                &[
                    "",
                    "2026-7-28",
                    "2026-13-01",
                    "2026-02-29",
                    "1900-02-29",
                    "2026-04-31",
                    "2026-01-00",
                    "28.07.2026",
                ],
            ),
            (
                StringFormat::DateTime,
                &["2026-07-28T12:00:00Z", "2026-07-28t23:59:60.123z", "2026-07-28 00:00:00+05:30"],
                &[
                    "2026-07-28",
                    "2026-07-28T12:00Z",
                    "2026-07-28T12:00:00",
                    "2026-07-28T24:00:00Z",
                    "2026-07-28T12:00:00.Z",
                    "2026-07-28T12:00:00+5:30",
                    "2026-02-30T12:00:00Z",
                    "T12:00:00Z",
                ],
            ),
            (StringFormat::from("phone"), &["", "anything"], &[]),
        ] {
            for text in good {
                assert_eq!(fits_format(&format, text), Ok(()), "{format:?} {text:?}");
            }
            for text in bad {
                assert!(fits_format(&format, text).is_err(), "{format:?} {text:?}");
            }
        }
    }
}
