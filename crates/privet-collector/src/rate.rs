//! [`RateLimiter`]: how many requests one address may make. Each has a bucket that fills again by so many a second.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Instant;

/// The most addresses that are remembered: those whose buckets are full again are forgotten first.
const REMEMBERED: usize = 1 << 16;

/// Buckets of addresses.
#[derive(Debug)]
pub struct RateLimiter {
    per_second: f64,
    buckets: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl RateLimiter {
    /// So many a second from each address, and twice as many at once; all, if 0.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: f64::from(per_second), buckets: Mutex::default() }
    }

    /// Whether an address may make one more request at a moment.
    pub fn allows(&self, address: IpAddr, now: Instant) -> bool {
        if self.per_second == 0.0 {
            return true;
        }
        let full = 2.0 * self.per_second;
        let filled = |(left, since): (f64, Instant)| {
            let seconds = now.saturating_duration_since(since).as_secs_f64();
            (left + seconds * self.per_second).min(full)
        };
        // A panic while the lock was held leaves valid numbers: each bucket is written in one step.
        let mut buckets = self.buckets.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let address = neighbourhood(address);
        // Memory is bounded: with 65,536 addresses at work, new ones are refused until a bucket is full again.
        if buckets.len() >= REMEMBERED && !buckets.contains_key(&address) {
            buckets.retain(|_, bucket| filled(*bucket) < full);
            if buckets.len() >= REMEMBERED {
                return false;
            }
        }
        let bucket = buckets.entry(address).or_insert((full, now));
        // Filled at the moment of the request: no timer runs for idle addresses.
        let left = filled(*bucket);
        let allowed = left >= 1.0;
        *bucket = (if allowed { left - 1.0 } else { left }, now);
        allowed
    }
}

/// The addresses that share a bucket: a subscriber of IPv6 has 2^64 of them.
fn neighbourhood(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            IpAddr::V6((u128::from(address) & !u128::from(u64::MAX)).into())
        }
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let (rate, start) = (RateLimiter::new(5), Instant::now());
        let one: IpAddr = "10.0.0.1".parse().unwrap();
        let taken = (0..50).filter(|_| rate.allows(one, start)).count();
        assert_eq!(taken, 10);
        assert!(rate.allows("10.0.0.2".parse().unwrap(), start));
        let later = start + Duration::from_secs(1);
        assert_eq!((0..50).filter(|_| rate.allows(one, later)).count(), 5);
        // A clock that jumps back gives nothing away.
        assert!(!rate.allows(one, start));
        assert!((0..1000).all(|_| RateLimiter::new(0).allows(one, start)));
    }

    #[test]
    fn many_addresses_of_one_sender_share_a_bucket() {
        let (rate, start) = (RateLimiter::new(5), Instant::now());
        let address = |last: u16| format!("2001:db8::{last:x}").parse().unwrap();
        assert_eq!((0..50).filter(|&last| rate.allows(address(last), start)).count(), 10);
        assert!(rate.allows("2001:db8:0:1::1".parse().unwrap(), start));
    }

    #[test]
    fn memory_has_an_end() {
        let (rate, start) = (RateLimiter::new(1), Instant::now());
        for address in 0..REMEMBERED as u32 {
            assert!(rate.allows(IpAddr::V4(address.into()), start));
        }
        assert!(!rate.allows("255.0.0.1".parse().unwrap(), start));
        let later = start + Duration::from_secs(3);
        assert!(rate.allows("255.0.0.1".parse().unwrap(), later));
        assert_eq!(rate.buckets.lock().unwrap().len(), 1);
    }
}
