use mcp_types::{Cursor, ErrorCode, JsonRpcError};

/// The page of `items` at `cursor`, and where the next one begins. A cursor names its list: it opens no other.
///
/// Section: [Pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
pub(super) fn page<T>(
    list: &str,
    mut items: Vec<T>,
    size: usize,
    cursor: Option<&Cursor>,
) -> Result<(Vec<T>, Option<Cursor>), JsonRpcError> {
    let start = match cursor {
        None => 0,
        Some(cursor) => place(list, cursor)
            .filter(|start| (1..items.len()).contains(start))
            .ok_or_else(|| JsonRpcError::new(ErrorCode::INVALID_PARAMS, "Invalid cursor"))?,
    };
    let mut rest = items.split_off(start);
    let next = (rest.len() > size).then(|| Cursor::from(format!("{list}@{}", start + size)));
    rest.truncate(size);
    Ok((rest, next))
}

fn place(list: &str, cursor: &Cursor) -> Option<usize> {
    cursor.as_str().strip_prefix(list)?.strip_prefix('@')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(count: usize, size: usize) -> Vec<Vec<usize>> {
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let (items, next) = page("numbers", (0..count).collect(), size, cursor.as_ref()).unwrap();
            pages.push(items);
            cursor = next;
            if cursor.is_none() {
                return pages;
            }
        }
    }

    #[test]
    fn pages_cover_the_list_once() {
        assert_eq!(pages(5, 2), [vec![0, 1], vec![2, 3], vec![4]]);
        assert_eq!(pages(4, 2), [vec![0, 1], vec![2, 3]]);
        assert_eq!(pages(0, 2), [Vec::<usize>::new()]);
    }

    #[test]
    fn a_cursor_that_was_not_given_out_is_refused() {
        for cursor in ["", "numbers", "numbers@", "numbers@0", "numbers@3", "numbers@-1", "texts@1"] {
            let error = page("numbers", vec![1, 2, 3], 2, Some(&cursor.into())).unwrap_err();
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{cursor}");
        }
    }
}
