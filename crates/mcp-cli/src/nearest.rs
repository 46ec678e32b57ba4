//! What a mistyped name may have meant.

/// How many names are proposed at most.
const MOST: usize = 3;

/// The names that are nearest to `wanted`, nearest first; none when nothing is near.
pub(crate) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted_lower = wanted.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(2);
    let mut near: Vec<_> = names
        .into_iter()
        .filter_map(|name| {
            let name_lower = name.to_lowercase();
            let distance = distance(&wanted_lower, &name_lower);
            // A part of a name is near however long the rest is.
            let part = wanted_lower.len() >= 3
                && (name_lower.contains(&wanted_lower) || wanted_lower.contains(&name_lower));
            (distance <= limit || part).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// ` Did you mean `a` or `b`?`, or nothing.
pub(crate) fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near: Vec<_> = nearest(wanted, names).into_iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { None } else { Some(format!("Did you mean {}?", near.join(" or "))) }
}

/// How many characters must be put in, taken out, replaced or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    /// Longer names are not typed by hand.
    const LONGEST: usize = 128;
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_near() {
        let names = ["add", "echo", "read_file", "read_multiple_files", "write_file"];
        assert_eq!(nearest("ad", names), ["add"]);
        assert_eq!(nearest("ehco", names), ["echo"]);
        assert_eq!(nearest("readfile", names), ["read_file"]);
        assert_eq!(nearest("READ_FILE", names), ["read_file"]);
        assert_eq!(nearest("multiple", names), ["read_multiple_files"]);
        assert_eq!(nearest("zzzzzz", names), [""; 0]);
        assert_eq!(did_you_mean("ehco", names).as_deref(), Some("Did you mean `echo`?"));
    }

    #[test]
    fn a_name_of_any_length_costs_little() {
        let long = "x".repeat(1 << 20);
        assert_eq!(nearest(&long, [long.as_str()]).len(), 1);
    }
}
