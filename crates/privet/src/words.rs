//! How numbers are written in the sentences of cards, reports and answers.

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

/// `1 edge`, `5,069 edges`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as u64), if number == 1 { one } else { many })
}
