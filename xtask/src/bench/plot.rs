//! A growth series as an SVG picture: logarithmic axes, a line for each driver.

use std::fmt::Write as _;

use super::growth::Curve;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 84.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;

/// Told apart without colour too: by their names at the end of each line.
const COLOURS: [(&str, &str); 3] = [("floor", "#767676"), ("ours", "#0b62b0"), ("rmcp", "#b4530a")];

pub(super) fn svg(curve: &Curve) -> String {
    let points = || curve.lines.iter().flat_map(|line| line.points.iter().copied());
    let across = Axis::of(points().map(|(x, _)| x), LEFT, WIDTH - RIGHT);
    let up = Axis::of(points().map(|(_, y)| y / 1e3), HEIGHT - BOTTOM, TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>{}: CPU time per {}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n",
        curve.title, curve.per
    );
    for (value, x) in across.ticks() {
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {TOP}V{:.1}\" stroke=\"#e4e4e4\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 18.0,
            short(value)
        );
    }
    for (value, y) in up.ticks() {
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"#e4e4e4\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            short(value)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"22\">us of CPU per {}</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        curve.per,
        WIDTH - RIGHT,
        HEIGHT - 12.0,
        curve.along
    );
    for line in &curve.lines {
        let colour =
            COLOURS.iter().find(|(name, _)| *name == line.driver).map_or("#000", |(_, colour)| colour);
        let mut path = String::new();
        for (at, (x, y)) in line.points.iter().enumerate() {
            let (x, y) = (across.place(*x), up.place(y / 1e3));
            let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        if let Some((x, y)) = line.points.last() {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
                across.place(*x) + 10.0,
                up.place(y / 1e3) + 4.0,
                line.driver
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// A logarithmic axis from a power of ten to another.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| *value > 0.0).map(f64::log10) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let (low, high) = (low.floor(), high.ceil());
        Self { low, high: high.max(low + 1.0), from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.log10() - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<(f64, f64)> {
        let values =
            (0..).map(|step| self.low + f64::from(step)).take_while(|power| *power < self.high + 0.5);
        values.map(|power| 10_f64.powf(power)).map(|value| (value, self.place(value))).collect()
    }
}

/// 1000000 as 1M.
fn short(value: f64) -> String {
    for (unit, name) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= unit * 0.999 {
            return format!("{}{name}", (value / unit).round());
        }
    }
    if value >= 0.999 {
        format!("{}", value.round())
    } else {
        format!("{value:.4}").trim_end_matches('0').to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::growth::Line;

    #[test]
    fn a_line_runs_within_the_frame() {
        let points = vec![(1.0, 4_000.0), (100.0, 2_000.0), (10_000.0, 30_000.0)];
        let lines = vec![Line { driver: "ours", points }];
        let curve = Curve { name: "n", title: "Title", along: "calls", per: "call", lines };
        let text = svg(&curve);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert_eq!(text.matches("<circle ").count(), 3);
        assert!(text.contains(">10k</text>") && text.contains(">100</text>") && !text.contains("NaN"));
    }

    #[test]
    fn values_have_a_place_and_a_name() {
        let axis = Axis::of([2.0, 300.0].into_iter(), 0.0, 30.0);
        assert_eq!(axis.ticks().iter().map(|(_, place)| *place).collect::<Vec<_>>(), [0.0, 10.0, 20.0, 30.0]);
        assert_eq!([0.01, 1.0, 10.0, 1e3, 1e7].map(short), ["0.01", "1", "10", "1k", "10M"]);
    }
}
