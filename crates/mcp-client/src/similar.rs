//! Names that somebody may have meant. `#[inline]`: few programs ask, and those compile it.

/// The most names that are suggested.
const SUGGESTIONS: usize = 3;

/// The longest name that is compared, in characters.
const LONGEST: usize = 128;

/// Those of `names` that are like `wanted`, the nearest first, at most three: by spelling, or because one contains the
/// other. For names of anything; for those of tools there is [`Client::similar_tools`](crate::Client::similar_tools).
pub fn similar_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = folded(wanted);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names {
        if let Some(difference) = difference(&wanted, &folded(name)) {
            let place = near.iter().position(|other| (difference, name) < *other).unwrap_or(near.len());
            near.insert(place, (difference, name));
            near.truncate(SUGGESTIONS);
        }
    }
    near.into_iter().map(|(_, name)| name).collect()
}

/// Without case, and without what people leave out or mix up.
#[inline]
fn folded(name: &str) -> Vec<char> {
    let significant = name.chars().filter(|c| !matches!(c, '_' | '-' | '.' | '/' | ' '));
    significant.flat_map(char::to_lowercase).take(LONGEST).collect()
}

/// How far two names are from each other; `None` when too far.
#[inline]
fn difference(a: &[char], b: &[char]) -> Option<usize> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let distance = distance(short, long);
    if distance <= long.len().div_ceil(3) {
        return Some(distance);
    }
    let contains = short.len() >= 3 && long.windows(short.len()).any(|window| window == short);
    contains.then_some(LONGEST + long.len() - short.len())
}

/// Insertions, deletions, replacements, and neighbours that changed places.
#[inline]
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(wanted: &str) -> Vec<&'static str> {
        similar_names(wanted, ["get_file", "get_files", "put_file", "search", "delete_everything", "echo"])
    }

    #[test]
    fn the_nearest_come_first() {
        assert_eq!(near("getFile"), ["get_file", "get_files", "put_file"]);
        assert_eq!(near("serach"), ["search"]);
        assert_eq!(near("ECHO"), ["echo"]);
        assert_eq!(near("everything"), ["delete_everything"]);
        assert_eq!(near("weather"), [""; 0]);
        assert_eq!(near(""), [""; 0]);
        assert!(near(&"x".repeat(10_000)).is_empty());
    }
}
