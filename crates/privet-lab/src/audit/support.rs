//! Can the other input have given this very output? A float sampler's lattice depends on its input,
//! so often it cannot, and one look at the output excludes a record with certainty.

use privet::graph::SimRng;
use rand::RngExt;

/// The share of outputs of a float square wave at `x`, inside the window that `x` and `other` have
/// in common, which no random number could have produced at `other`.
pub fn float_square_wave_share(x: f64, other: f64, epsilon: f64, samples: usize) -> f64 {
    let e = epsilon.exp();
    let b = (epsilon * e - e + 1.0) / (e * (e - epsilon - 1.0));
    // What the usual generator makes of 53 random bits, and what the usual code makes of that.
    let output = |x: f64, bits: u64| x - b + 2.0 * b * (bits as f64 * 2f64.powi(-53));
    let reachable = |y: f64, x: f64| {
        let near = ((y - x + b) / (2.0 * b) * 2f64.powi(53)) as i64;
        (near - 64..=near + 64)
            .any(|bits| (0..1i64 << 53).contains(&bits) && output(x, bits as u64) == y)
    };
    let common = (x.max(other) - b)..(x.min(other) + b);
    let mut rng = SimRng::new(1);
    let (mut inside, mut impossible) = (0usize, 0usize);
    while inside < samples {
        let y = output(x, rng.random_range(0..1u64 << 53));
        if common.contains(&y) {
            inside += 1;
            impossible += usize::from(!reachable(y, other));
        }
    }
    impossible as f64 / samples as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_can_give_its_own_outputs_and_often_not_its_neighbours() {
        assert_eq!(float_square_wave_share(0.3, 0.3, 1.0, 500), 0.0);
        let share = float_square_wave_share(0.3, 0.31, 1.0, 2000);
        assert!((0.2..0.4).contains(&share), "{share}");
    }
}
