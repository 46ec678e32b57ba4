//! Tables that fit the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Style, out, print_line, safe_line, width};

/// No column is made narrower than this, in columns of the terminal.
const NARROWEST: usize = 8;
/// Between two columns.
const GAP: &str = "  ";

/// Rows of one-line cells. Text of a server is made safe here.
#[derive(Debug)]
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: impl IntoIterator<Item = &'static str>) -> Self {
        Self { head: head.into_iter().collect(), rows: Vec::new() }
    }

    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(|cell| safe_line(cell.as_ref())).collect());
    }

    /// Writes it to standard output, as wide as that is.
    pub(crate) fn print(&self) {
        for line in self.lines(width(), out()) {
            print_line(&line);
        }
    }

    fn lines(&self, width: Option<usize>, style: Style) -> Vec<String> {
        let widths = self.widths(width);
        let head: Vec<_> = self.head.iter().map(|name| (*name).to_owned()).collect();
        let mut lines = vec![style.bold(&line(&head, &widths))];
        lines.extend(self.rows.iter().map(|row| line(row, &widths)));
        lines
    }

    /// The natural widths, or as much less as the terminal wants: the widest column gives first.
    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.head.iter().map(|name| name.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let Some(limit) = limit else { return widths };
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(limit);
        while over > 0 {
            // Of equal ones the last: the first column has the names.
            let Some(widest) = (0..widths.len()).max_by_key(|column| widths[*column]) else { break };
            if widths[widest] <= NARROWEST {
                break;
            }
            widths[widest] -= 1;
            over -= 1;
        }
        widths
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        if column > 0 {
            line.push_str(GAP);
        }
        let cell = cut(cell, *width);
        line.push_str(&cell);
        if column + 1 < cells.len() {
            line.extend(std::iter::repeat_n(' ', width - cell.width().min(*width)));
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// The text, or as much of it as fits, and a sign that there is more.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        cut.push(c);
    }
    cut.truncate(cut.trim_end().len());
    cut + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { color: false };

    fn table() -> Table {
        let mut table = Table::new(["NAME", "DESCRIPTION"]);
        table.row(["add", "Adds two numbers, and says what they come to."]);
        table.row(["日本語", "Wide\x1b[1m characters\nand a line break"]);
        table
    }

    #[test]
    fn columns_are_aligned_by_what_the_terminal_shows() {
        let lines = table().lines(None, PLAIN);
        assert_eq!(lines[0], "NAME    DESCRIPTION");
        assert_eq!(lines[1], "add     Adds two numbers, and says what they come to.");
        assert_eq!(lines[2], "日本語  Wide\\u{1b}[1m characters and a line break");
    }

    #[test]
    fn every_line_fits() {
        for width in [24, 30, 40, 200] {
            for line in table().lines(Some(width), PLAIN) {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
        assert_eq!(table().lines(Some(24), PLAIN)[1], "add     Adds two number…");
        // Narrower than any table could be: cut to the least, not to nothing.
        assert!(table().lines(Some(3), PLAIN)[1].starts_with("add"));
    }

    #[test]
    fn a_wide_character_is_not_cut_in_half() {
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
