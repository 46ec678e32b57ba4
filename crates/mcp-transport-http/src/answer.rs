//! What an answer is, by its head.

use http::{HeaderMap, header};

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    EventStream,
    /// The server does not say.
    Unnamed,
    Other,
}

/// Parameters and case do not matter.
pub(crate) fn media(headers: &HeaderMap) -> Media {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Media::Unnamed };
    // What nearly every server says.
    match value.as_bytes() {
        b"application/json" => return Media::Json,
        b"text/event-stream" => return Media::EventStream,
        _ => {}
    }
    let Ok(value) = value.to_str() else { return Media::Other };
    let essence = value.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        Media::Json
    } else if essence.eq_ignore_ascii_case("text/event-stream") {
        Media::EventStream
    } else {
        Media::Other
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Quirk 11: parameters in the content type.
    #[test]
    fn media_types_are_parsed() {
        let of = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(text));
            media(&headers)
        };
        assert_eq!(of("application/json; charset=utf-8"), Media::Json);
        assert_eq!(of("Text/Event-Stream ;charset=UTF-8"), Media::EventStream);
        assert_eq!(of("text/html"), Media::Other);
        assert_eq!(of("application/jsonp"), Media::Other);
        assert_eq!(media(&HeaderMap::new()), Media::Unnamed);
    }
}
