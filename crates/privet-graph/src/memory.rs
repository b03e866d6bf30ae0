//! Whether what is asked for fits into memory, found out before it is begun.
//!
//! A machine that runs out of memory stops in the middle, hangs for hours or ends other people's programs. What
//! will be needed is known from the numbers that were asked for, so they are compared with what there is.

use std::fs::read_to_string;

use crate::{Error, Result};

/// What is taken for free where the system does not tell.
const UNKNOWN: u64 = 16 << 30;

/// Bytes that this process can still have: what is free, within the limits of its group and its own.
pub fn available() -> u64 {
    let limits = [free(), of_group(), of_process()];
    limits.into_iter().flatten().min().unwrap_or(UNKNOWN)
}

/// Bytes that programs can still have, where the system tells (Linux).
pub fn free() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// What is left of a container's share.
fn of_group() -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?.trim().parse().ok()
    };
    Some(number("max")?.saturating_sub(number("current")?))
}

/// What `ulimit -v` leaves.
fn of_process() -> Option<u64> {
    let text = read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Refuses so many of something that they would not fit: each needs so many bytes, all of them together
/// `beside` more. `name` is the setting that asks for them.
///
/// ```
/// use privet_graph::memory::ask;
/// assert!(ask("nodes", 1000, 64, 0).is_ok());
/// let message = ask("nodes", 1 << 60, 64, 0).unwrap_err().to_string();
/// assert!(message.contains("nodes 1152921504606846976") && message.contains("would fit"));
/// ```
///
/// # Errors
/// [`Error::Memory`] if they would not.
pub fn ask(name: &'static str, asked: u64, each: u64, beside: u64) -> Result<()> {
    let each = each.max(1);
    let needs = u128::from(asked) * u128::from(each) + u128::from(beside);
    let free = available();
    if needs <= u128::from(free) {
        return Ok(());
    }
    let fits = (free.saturating_sub(beside) / each).to_string();
    Err(refused(name, asked.to_string(), needs, free, fits))
}

/// Refuses so many of something that they would not fit, where what they need grows faster than their number: `needs` has
/// the bytes for any number, and must never fall. `name` is what there are so many of.
///
/// ```
/// use privet_graph::memory::ask_growing;
/// let pairs = |people: u64| u128::from(people).pow(2) / 8;
/// assert!(ask_growing("people", 1000, pairs).is_ok());
/// assert!(ask_growing("people", 1 << 40, pairs).is_err());
/// ```
///
/// # Errors
/// [`Error::Memory`] if they would not.
pub fn ask_growing(name: &'static str, asked: u64, needs: impl Fn(u64) -> u128) -> Result<()> {
    let free = available();
    if needs(asked) <= u128::from(free) {
        return Ok(());
    }
    // The largest number that fits lies in fits..not; halving finds it in 64 steps at most.
    let (mut fits, mut not) = (0, asked);
    while not - fits > 1 {
        let middle = fits + (not - fits) / 2;
        if needs(middle) <= u128::from(free) { fits = middle } else { not = middle }
    }
    Err(refused(name, asked.to_string(), needs(asked), free, fits.to_string()))
}

/// Refuses layers that would not fit: hidden ones of these widths, between so many inputs and outputs, `copies` of
/// every weight (gradients and what an optimizer remembers).
///
/// # Errors
/// [`Error::Memory`] if they would not.
pub fn ask_layers(inputs: usize, hidden: &[usize], outputs: usize, copies: u64) -> Result<()> {
    layers(inputs, hidden, outputs, copies, hidden.len())
}

/// The same for so many hidden layers of one width, which is asked for as one number.
///
/// # Errors
/// [`Error::Memory`] if they would not.
pub fn ask_width(
    inputs: usize,
    (width, count): (usize, usize),
    outputs: usize,
    copies: u64,
) -> Result<()> {
    layers(inputs, &vec![width; count.min(MANY)], outputs, copies, 1)
}

/// More layers than these need as much again: too much is too much.
const MANY: usize = 64;

fn layers(
    inputs: usize,
    hidden: &[usize],
    outputs: usize,
    copies: u64,
    shown: usize,
) -> Result<()> {
    let needs = |hidden: &mut dyn Iterator<Item = usize>| -> u128 {
        let mut before = inputs as u128;
        let mut weights = 0_u128;
        for width in hidden.chain([outputs]) {
            weights = weights.saturating_add(before.saturating_mul(width as u128));
            before = width as u128;
        }
        weights.saturating_mul(4 * u128::from(copies))
    };
    let (needed, free) = (needs(&mut hidden.iter().copied()), available());
    if needed <= u128::from(free) {
        return Ok(());
    }
    // The widest layers that fit, if all are of one width.
    let fitting = |width: usize| needs(&mut hidden.iter().map(|_| width)) <= u128::from(free);
    let (mut fits, mut not) = (0, hidden.iter().copied().max().unwrap_or(1));
    while not - fits > 1 {
        let middle = fits + (not - fits) / 2;
        if fitting(middle) { fits = middle } else { not = middle }
    }
    let list = |widths: &mut dyn Iterator<Item = usize>| {
        widths.take(shown).map(|width| width.to_string()).collect::<Vec<_>>().join(",")
    };
    let asked = list(&mut hidden.iter().copied());
    Err(refused("hidden", asked, needed, free, list(&mut hidden.iter().map(|_| fits))))
}

fn refused(name: &'static str, asked: String, needs: u128, free: u64, fits: String) -> Error {
    let (needs, free) = (in_words(needs), in_words(u128::from(free)));
    Error::Memory { name, asked, needs, free, fits }
}

/// `1.5 GiB`.
fn in_words(bytes: u128) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut amount, mut unit) = (bytes as f64, 0);
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if amount < 10.0 && unit > 0 {
        return format!("{amount:.1} {}", units[unit]);
    }
    format!("{amount:.0} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_fit_fits() {
        let message = ask("nodes", u64::MAX, 1 << 20, 100).unwrap_err();
        let Error::Memory { fits, .. } = message else { panic!("{message}") };
        let fits: u64 = fits.parse().unwrap();
        assert!(fits > 0);
        // Memory comes and goes: half of it should be there a moment later.
        assert!(ask("nodes", fits / 2, 1 << 20, 100).is_ok());
    }

    #[test]
    fn what_grows_faster_is_weighed_by_its_own_law() {
        let squares = |count: u64| u128::from(count).pow(2) * 1000;
        let message = ask_growing("people", 1 << 50, squares).unwrap_err();
        let Error::Memory { fits, .. } = message else { panic!("{message}") };
        let fits: u64 = fits.parse().unwrap();
        assert!(fits > 0 && ask_growing("people", fits / 2, squares).is_ok());
        assert!(ask_growing("people", fits * 8, squares).is_err());
    }

    #[test]
    fn layers_are_weighed_together() {
        assert!(ask_layers(1433, &[128, 64], 7, 5).is_ok());
        assert!(ask_layers(1433, &[], 7, 5).is_ok());
        let message = ask_layers(4, &[usize::MAX, 8], 2, 5).unwrap_err().to_string();
        assert!(message.starts_with(&format!("hidden {},8: needs", usize::MAX)), "{message}");
        let message = ask_width(4, (1 << 40, 3), 2, 5).unwrap_err().to_string();
        assert!(message.starts_with("hidden 1099511627776: needs"), "{message}");
        let message = ask_layers(4, &[1 << 40], 2, 5).unwrap_err();
        let Error::Memory { fits, .. } = message else { panic!("{message}") };
        assert!(ask_layers(4, &[fits.parse::<usize>().unwrap() / 2], 2, 5).is_ok());
    }

    #[test]
    fn sizes_are_told_in_words() {
        assert_eq!((in_words(999), in_words(1536)), ("999 bytes".into(), "1.5 KiB".into()));
        assert_eq!(in_words(22 << 30), "22 GiB");
    }
}
