//! What people run on their lists of contacts, by what becomes of their reports.

/// Runs something with the mechanism that a rule for a graph asks people to run: `$wrap` makes it from the one that
/// reports a whole list. What is asked decides what a pair costs, so collecting and promising both go through here.
macro_rules! for_merge {
    ($merge:expr, |$wrap:ident| $work:expr) => {{
        use $crate::privacy::edges::Merge;
        use $crate::privacy::edges::local::{LowerHalf, OneSided};
        match $merge {
            Merge::OneSided => {
                let $wrap = OneSided;
                $work
            }
            Merge::LowerTriangle => {
                let $wrap = LowerHalf;
                $work
            }
            Merge::Directed | Merge::Or | Merge::And => {
                let $wrap = std::convert::identity;
                $work
            }
        }
    }};
}

pub(crate) use for_merge;
