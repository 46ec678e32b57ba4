//! Costs that must not grow: a series of points for each.

use super::{summary::Summary, workloads::Series};

/// What was measured of a series.
pub(super) struct Curve {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) along: &'static str,
    pub(super) per: &'static str,
    pub(super) lines: Vec<Line>,
}

/// One driver: places, and nanoseconds there.
pub(super) struct Line {
    pub(super) driver: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

impl Curve {
    /// `None` if nothing of it was measured.
    pub(super) fn of(series: &Series, summary: &Summary) -> Option<Self> {
        let drivers = series.points.first()?.workload.drivers;
        let line = |driver: &'static str| Line {
            driver,
            points: series
                .points
                .iter()
                .filter_map(|point| {
                    let cost = summary.compared(&point.workload.name, driver)?;
                    Some((point.at as f64, cost / point.parts as f64))
                })
                .collect(),
        };
        let lines: Vec<Line> =
            drivers.iter().map(|driver| line(driver)).filter(|line| !line.points.is_empty()).collect();
        let Series { name, title, along, per, .. } = *series;
        (!lines.is_empty()).then_some(Self { name, title, along, per, lines })
    }

    pub(super) fn line(&self, driver: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.driver == driver)
    }
}

impl Line {
    /// The cost at the far end.
    pub(super) fn last(&self) -> Option<f64> {
        self.points.last().map(|(_, cost)| *cost)
    }

    /// The cost at the far end, as a multiple of the lowest cost before. Costs that are paid once a call make the near end
    /// dear where parts of it are counted; that is no growth.
    pub(super) fn growth(&self) -> Option<f64> {
        let ((_, last), before) = self.points.split_last()?;
        let lowest = before.iter().map(|(_, cost)| *cost).min_by(f64::total_cmp)?;
        Some(last / lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_against_the_lowest_cost_before() {
        let of = |points: &[(f64, f64)]| Line { driver: "ours", points: points.to_vec() }.growth();
        assert_eq!(of(&[(1.0, 8.0), (10.0, 2.0), (100.0, 3.0)]), Some(1.5));
        assert_eq!(of(&[(1.0, 8.0)]), None);
        assert_eq!(of(&[]), None);
    }
}
