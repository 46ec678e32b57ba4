//! Writing with more care than serde's derive has.

use serde::Serializer;

/// Writes whole numbers without a fraction: `50`, not `50.0`, as nearly every peer does and as some readers want it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(crate) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match whole(*value) {
        Some(integer) => serializer.serialize_i64(integer),
        None => serializer.serialize_f64(*value),
    }
}

/// As [`number`], for an optional member.
#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
pub(crate) fn optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// Below it every whole `f64` is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(value: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked: whole, and within 2^53")]
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    #[test]
    fn whole_numbers_have_no_fraction() {
        for (value, text) in [(50.0, "50"), (-1.0, "-1"), (0.5, "0.5"), (1e300, "1e+300"), (f64::NAN, "null")]
        {
            let mut out = Vec::new();
            super::number(&value, &mut serde_json::Serializer::new(&mut out)).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
