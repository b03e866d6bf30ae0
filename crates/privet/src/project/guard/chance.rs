//! [`ChanceTest`]: do two tables about numbered people agree more often than unrelated numbering would let them?
//!
//! People numbered 1, 2, 3 are in every table, so an id says nothing alone, and a short record (an age and a region) may
//! agree by accident. If two tables number unrelated people, the row of an id is any row of the project's table. So the
//! record of one id agrees with probability c / n, where c of the project's n people have that record. Over all ids that
//! both tables have, chance explains E = sum of c / n agreements. M were found among k ids. By Hoeffding's inequality for
//! independent trials
//!
//! ```text
//! P(at least M agree) <= exp(-k KL(M/k || E/k))        KL(a || b) = a ln(a/b) + (1-a) ln((1-a)/(1-b))
//! ```
//!
//! and the tables are taken for being about the same people where this is at most [`DOUBT`]. A copy, a subset and a single
//! rare record are noticed; a single record that a tenth of the people share is not. An accident is refused at most once in
//! ten unrelated tables, and ids that no protected person has avoid it.

/// Agreement that chance explains with at most this probability is taken for evidence.
pub const DOUBT: f64 = 0.1;

/// Records with the same ids in two tables, and how many agree.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ChanceTest {
    compared: u64,
    agreed: u64,
    expected: f64,
}

impl ChanceTest {
    /// Adds the record of an id that both tables have; `chance` is the share of people with this record.
    pub fn add(&mut self, agrees: bool, chance: f64) {
        self.compared += 1;
        self.agreed += u64::from(agrees);
        self.expected += chance;
    }

    /// Whether more records agree than chance explains, where this is one of so many things that were tried.
    pub fn is_beyond_chance(&self, tries: usize) -> bool {
        let (compared, agreed) = (self.compared as f64, self.agreed as f64);
        if agreed <= self.expected {
            return false;
        }
        let (found, expected) = (agreed / compared, self.expected / compared);
        let term = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
        let divergence = term(found, expected) + term(1.0 - found, 1.0 - expected);
        (-compared * divergence).exp() * tries as f64 <= DOUBT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beyond(compared: u64, agreed: u64, chance: f64) -> bool {
        let mut test = ChanceTest::default();
        (0..compared).for_each(|at| test.add(at < agreed, chance));
        test.is_beyond_chance(1)
    }

    #[test]
    fn copies_and_rare_records_are_told_from_accidents() {
        assert!(beyond(1, 1, 0.01), "one rare record");
        assert!(!beyond(1, 1, 0.2), "one record that a fifth of the people share");
        assert!(beyond(10, 10, 0.5), "a copy of a table with two kinds of records");
        assert!(beyond(1000, 1, 1e-3 / 1000.0), "one rare record among many others");
        assert!(!beyond(40, 1, 0.01), "one accident in forty, where chance explains 0.4");
        assert!(!beyond(100, 100, 1.0), "records that all people share say nothing");
        assert!(!beyond(0, 0, 0.0));
        let mut test = ChanceTest::default();
        test.add(true, 0.02);
        assert!(test.is_beyond_chance(5) && !test.is_beyond_chance(6));
    }

    /// Unrelated tables are refused no more often than the bound says.
    #[test]
    fn unrelated_tables_are_seldom_refused() {
        use rand::RngExt;
        let mut rng = crate::graph::SimRng::new(1);
        let refused = (0..2000).filter(|_| {
            let mut test = ChanceTest::default();
            (0..30).for_each(|_| test.add(rng.random_bool(0.05), 0.05));
            test.is_beyond_chance(1)
        });
        let refused = refused.count();
        assert!(refused as f64 <= DOUBT * 2000.0, "{refused}");
    }
}
