use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, header};

/// `Retry-After`, as a duration from `now`: zero for a date that is past.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let field = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = field.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = UNIX_EPOCH.checked_add(Duration::from_secs(http_date(field)?))?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete forms are not read.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let words: Vec<&str> = date.split(' ').collect();
    let [day, month, year, time, "GMT"] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let clock: Vec<u64> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hour, minute, second] = clock[..] else { return None };
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Days since 1970 of a date of the Gregorian calendar, with years that begin in March.
fn days(year: u64, month: u64, day: u64) -> u64 {
    const BEFORE_1970: u64 = 719_468;
    let year = if month < 3 { year - 1 } else { year };
    let month = (month + 9) % 12;
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - BEFORE_1970
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn dates_are_seconds_since_1970() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Mon, 30 Nov 2026 12:00:00 GMT", 1_796_040_000),
        ] {
            assert_eq!(http_date(text), Some(seconds), "{text}");
        }
        for odd in
            ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 8:49 GMT"]
        {
            assert_eq!(http_date(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_number_a_date_and_the_past() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let said = |field: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(field));
            retry_after(&headers, now)
        };
        assert_eq!(said("120"), Some(Duration::from_secs(120)));
        assert_eq!(said("Sun, 06 Nov 1994 08:50:00 GMT"), Some(Duration::from_secs(23)));
        assert_eq!(said("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(said("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
