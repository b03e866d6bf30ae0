//! Guarantees of one neighbouring relation, converted to another; and for groups.
//!
//! Each function is a named theorem with its price. None of them is applied silently: a ledger keeps one
//! relation, and a conversion is written down.

use crate::fault::{self, Fault};
use crate::loss::{Delta, Loss, multiply_up};
use crate::special::UP;

/// `size` records at once (Vadhan 2017, Lemma 2.2): `(k epsilon, delta (e^(k epsilon) - 1)/(e^epsilon - 1))`.
///
/// An edge-local guarantee of epsilon 1 hides a whole list of 10 neighbours only at epsilon 10:
/// ```
/// use privet_privacy::{accountant::convert, loss::Loss};
/// let list = convert::group(Loss::new(1.0, 0.0)?, 10);
/// assert_eq!(list, Loss::new(10.0, 0.0)?);
/// # Ok::<(), privet_privacy::error::Error>(())
/// ```
pub fn group(one: Loss, size: u64) -> Loss {
    let epsilon = one.epsilon.times(size);
    if one.delta == Delta::ZERO {
        return Loss { epsilon, delta: Delta::ZERO };
    }
    let e = one.epsilon.get();
    let copies = if e == 0.0 || fault::on(Fault::GroupDeltaLinear) {
        size as f64
    } else {
        // sum_{i<k} e^(i eps) = (e^(k eps) - 1)/(e^eps - 1): each further record multiplies the failures before it.
        epsilon.get().exp_m1() / e.exp_m1()
    };
    // A few roundings went into the number of copies.
    let delta = multiply_up(one.delta.get(), copies * UP);
    Loss { epsilon, delta: if delta.is_nan() { Delta::VACUOUS } else { Delta::saturating(delta) } }
}

/// From "a node is present or absent" to "a node is replaced": remove it, then add it differently.
///
/// `(2 epsilon, (1 + e^epsilon) delta)` by the triangle inequality for hockey-stick divergences.
pub fn node_absent_to_node_replace(absent: Loss) -> Loss {
    group(absent, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{above, big};
    use crate::loss::Epsilon;

    #[test]
    fn replacing_is_removing_and_adding() {
        let replaced = node_absent_to_node_replace(Loss::new(1.5, 1e-6).unwrap());
        assert_eq!(replaced.epsilon.get(), 3.0);
        let expected = (1.0 + 1.5_f64.exp()) * 1e-6;
        assert!(
            replaced.delta.get() >= expected && replaced.delta.get() < expected * (1.0 + 1e-12)
        );
    }

    /// `(e^(k e) - 1)/(e^e - 1)` copies of delta, to many digits.
    #[test]
    fn the_copies_of_delta_are_rounded_up() {
        for size in 1..60 {
            let one = Loss::new(0.037 * size as f64, 1e-60).unwrap();
            let found = group(one, size).delta.get();
            let e = big(one.epsilon.get());
            let copies = (&e * big(size as f64)).exp_m1() / e.exp_m1();
            let over = above(found, &(copies * big(1e-60)));
            // The exponent is rounded, too, by half a unit of its own.
            let rounded = 12.0 + one.epsilon.get() * size as f64;
            assert!(over >= 0.0 && over < rounded, "{size}: {over}");
        }
        let no_rows = group(Loss::new(0.5, 1e-3).unwrap(), 0);
        assert_eq!(no_rows, Loss::new(0.0, 0.0).unwrap());
        let open = group(Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO }, 2);
        assert_eq!(open, Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO });
    }

    #[test]
    fn groups_saturate_instead_of_lying() {
        assert_eq!(group(Loss::new(800.0, 1e-9).unwrap(), 3).delta, Delta::VACUOUS);
        let three = group(Loss::new(0.0, 1e-3).unwrap(), 3).delta.get();
        assert!((0.003..0.003 * (1.0 + 1e-14)).contains(&three), "{three}");
        assert_eq!(
            group(Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO }, 0).epsilon,
            Epsilon::ZERO
        );
    }
}
