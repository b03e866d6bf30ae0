//! How numbers are written in the sentences of cards, and of whatever else is told to people.

/// A number with separators, so that it can be read: `12,345`.
pub fn count(number: impl TryInto<u64>) -> String {
    let Ok(number) = number.try_into() else { return "?".into() };
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_threes() {
        let pairs = [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345, "12,345")];
        for (number, written) in pairs {
            assert_eq!(count(number as u64), written);
        }
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(count(-1), "?", "nothing is counted below none");
    }
}
