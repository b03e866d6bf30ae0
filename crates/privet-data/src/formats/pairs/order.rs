//! The order of graphs by file name: what trains first, then as people count (2 before 10).

use std::cmp::Ordering;

/// What a graph is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SplitRole {
    Train,
    Validation,
    Test,
}

/// What the end of a graph's name says it is for.
pub(super) fn role(name: &str) -> SplitRole {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&["_val", "_valid", "_validation"]) {
        SplitRole::Validation
    } else if ends(&["_test"]) {
        SplitRole::Test
    } else {
        SplitRole::Train
    }
}

/// Compares names with the numbers in them taken as numbers.
pub(super) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a_rest.first(), b_rest.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, y) = (take_number(&mut a_rest), take_number(&mut b_rest));
            // Without leading zeros the longer number is the larger.
            x.len().cmp(&y.len()).then(x.cmp(y))
        } else {
            (a_rest, b_rest) = (&a_rest[1..], &b_rest[1..]);
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    a_rest.len().cmp(&b_rest.len()).then(a.cmp(b))
}

/// Takes the digits at the beginning, and returns them without leading zeros.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    &number[number.iter().take_while(|&&byte| byte == b'0').count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_zeros_do_not() {
        let mut names = ["g10", "g2", "g", "h1", "g02", "g2b", "g100000000000000000000"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["g", "g02", "g2", "g2b", "g10", "g100000000000000000000", "h1"]);
    }

    #[test]
    fn roles_by_the_end_of_the_name() {
        assert_eq!(role("ppi_0_val"), SplitRole::Validation);
        assert_eq!(role("ppi_0_test"), SplitRole::Test);
        assert_eq!(role("contest"), SplitRole::Train);
    }
}
