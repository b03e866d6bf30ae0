//! Values that are lists or shares, as they are typed.

use super::{Radii, Widths};

pub(super) fn parse_radii(typed: &str) -> Result<Radii, String> {
    if typed == "none" {
        return Ok(Radii(Vec::new()));
    }
    let radius = |word: &str| {
        let alpha = word.trim().parse().ok();
        alpha.filter(|&alpha: &f64| alpha > 0.0 && alpha < 1.0)
    };
    let radii: Option<Vec<f64>> = typed.split(',').map(radius).collect();
    radii
        .map(Radii)
        .ok_or_else(|| "expected shares between 0 and 1, such as 0.5,0.1, or `none`".into())
}

pub(super) fn parse_homophily(typed: &str) -> Result<f64, String> {
    let share = typed.parse().ok().filter(|share: &f64| (0.0..1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to below 1, such as 0.7".into())
}

pub(in crate::args) fn parse_widths(typed: &str) -> Result<Widths, String> {
    if typed == "none" {
        return Ok(Widths(Vec::new()));
    }
    let width = |word: &str| word.trim().parse().ok().filter(|&width: &usize| width > 0);
    let widths: Option<Vec<usize>> = typed.split(',').map(width).collect();
    widths.map(Widths).ok_or_else(|| "expected widths such as 128 or 128,64, or `none`".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_numbers_or_none() {
        assert_eq!(parse_widths("none"), Ok(Widths(Vec::new())));
        for typed in ["", "0", "1,,2", "-1", "a"] {
            assert!(parse_widths(typed).is_err(), "{typed}");
        }
    }
}
