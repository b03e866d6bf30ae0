//! Where keys come from: the operating system; in a browser, which has none, whatever the page names once.

/// Fills bytes with unpredictable randomness, and returns whether it could.
#[cfg(any(all(target_arch = "wasm32", target_os = "unknown"), test))]
pub type Entropy = fn(&mut [u8]) -> bool;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(super) fn fill(key: &mut [u8]) -> Result<(), String> {
    getrandom::fill(key).map_err(|error| error.to_string())
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
static NAMED: std::sync::OnceLock<Entropy> = std::sync::OnceLock::new();

/// Names where a browser's randomness comes from, `crypto.getRandomValues`, before anything is drawn. The first one named
/// stays. There is no such function elsewhere: an operating system is asked itself.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub fn entropy_from(source: Entropy) {
    NAMED.get_or_init(|| source);
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(super) fn fill(key: &mut [u8]) -> Result<(), String> {
    fill_by(NAMED.get().copied(), key)
}

/// Bytes that were not filled are zeros, so zeros are not taken for a key.
#[cfg(any(all(target_arch = "wasm32", target_os = "unknown"), test))]
fn fill_by(source: Option<Entropy>, key: &mut [u8]) -> Result<(), String> {
    let source = source.ok_or("no source of randomness was set: a browser's page must name one")?;
    match source(key) && key.iter().any(|&byte| byte != 0) {
        true => Ok(()),
        false => Err("the browser gave none".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_zeros_is_refused() {
        let mut key = [0; 32];
        assert!(fill_by(None, &mut key).is_err());
        assert!(fill_by(Some(|_| false), &mut key).is_err());
        assert!(fill_by(Some(|_| true), &mut key).is_err());
        let filled = |key: &mut [u8]| {
            key.fill(7);
            true
        };
        assert_eq!((fill_by(Some(filled), &mut key), key), (Ok(()), [7; 32]));
    }
}
