//! Progress of a call: a bar on a terminal, lines elsewhere.

use unicode_width::UnicodeWidthStr;

use super::{note, pin, safe_line, stderr_is_terminal, table::cut};

/// How wide the bar itself is.
const WIDTH: usize = 24;
/// As long as the width of the terminal is not known.
const LINE: usize = 79;

/// Shows progress on standard error. Dropping it takes the bar away.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: bool,
}

impl Bar {
    pub(crate) fn new() -> Self {
        Self { drawn: stderr_is_terminal() }
    }

    /// Shows one report.
    pub(crate) fn show(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if self.drawn {
            let width = terminal_size::terminal_size_of(std::io::stderr())
                .map_or(LINE, |(width, _)| usize::from(width.0).saturating_sub(1));
            pin(drawing(progress, total, message, width));
        } else {
            note(&line(progress, total, message));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.drawn {
            pin(String::new());
        }
    }
}

/// `progress 3 of 10: copying`
fn line(progress: f64, total: Option<f64>, message: Option<&str>) -> String {
    let mut line = format!("progress {progress}");
    if let Some(total) = total {
        line += &format!(" of {total}");
    }
    if let Some(message) = message {
        line += &format!(": {}", safe_line(message));
    }
    line
}

/// `[######------------------] 3/10 copying`
fn drawing(progress: f64, total: Option<f64>, message: Option<&str>, width: usize) -> String {
    let mut drawing = String::new();
    if let Some(total) = total.filter(|total| *total > 0.0) {
        let share = (progress / total).clamp(0.0, 1.0);
        // At most `WIDTH`: a small whole number.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let full = (share * WIDTH as f64) as usize;
        drawing += &format!("[{}{}] {progress}/{total}", "#".repeat(full), "-".repeat(WIDTH - full));
    } else {
        drawing += &format!("[{}] {progress}", "~".repeat(WIDTH));
    }
    if let Some(message) = message {
        drawing += &format!(" {}", safe_line(message));
    }
    if drawing.width() > width { cut(&drawing, width) } else { drawing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_word_and_the_value() {
        assert_eq!(line(3.0, Some(10.0), Some("a\x1bb")), "progress 3 of 10: a\\u{1b}b");
        assert_eq!(line(0.5, None, None), "progress 0.5");
    }

    #[test]
    fn a_bar_is_as_full_as_the_call_is_far() {
        assert_eq!(drawing(1.0, Some(2.0), None, 79), "[############------------] 1/2");
        assert_eq!(drawing(9.0, Some(2.0), Some("x"), 79), "[########################] 9/2 x");
        assert_eq!(drawing(7.0, None, None, 79), "[~~~~~~~~~~~~~~~~~~~~~~~~] 7");
        assert_eq!(drawing(f64::NAN, Some(1.0), None, 79), "[------------------------] NaN/1");
        assert_eq!(drawing(1.0, Some(2.0), Some("long"), 12).width(), 12);
    }
}
