//! Floating-point members, as `read` reads them and `write` writes them.
//!
//! Read to the last digit: `serde_json` on its own may be off by one unit in the last place, so that a value would change
//! a little each time that it is passed on. Written without a fraction when they are whole: `50`, not `50.0`, as nearly
//! every peer does and as some readers want it.

/// Below it every whole `f64` is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) fn whole(value: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked: whole, and within 2^53")]
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use crate::ProgressNotificationParams;

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (value, text) in [(50.0, "50"), (-1.0, "-1"), (0.5, "0.5"), (1e300, "1e+300"), (f64::NAN, "null")]
        {
            let mut out = Vec::new();
            crate::write::serialize(&value, &mut serde_json::Serializer::new(&mut out)).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    /// Field report T-06.
    #[test]
    fn the_last_digit_survives() {
        for (progress, total) in [("9.007199271992548e+20", "0.30000000000000004"), ("5e-324", "8.5")] {
            let text = format!(r#"{{"progressToken":1,"progress":{progress},"total":{total}}}"#);
            let params: ProgressNotificationParams = serde_json::from_str(&text).unwrap();
            assert_eq!(Some(params.progress), progress.parse().ok());
            assert_eq!(serde_json::to_string(&params).unwrap(), text);
        }
        let infinite =
            serde_json::from_str::<ProgressNotificationParams>(r#"{"progressToken":1,"progress":1e999}"#);
        assert!(infinite.unwrap_err().to_string().contains("out of range"));
    }
}
