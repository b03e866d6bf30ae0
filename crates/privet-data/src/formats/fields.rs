//! The fields of one line of text: where they are split, and the numbers they write.

/// The fields between runs of blanks.
pub(crate) fn blank_separated(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// The fields between commas, without the blanks around them; `1,,2` has three.
pub(crate) fn comma_separated(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

/// The number that decimal digits, and nothing else, write.
pub(crate) fn unsigned(field: &[u8]) -> Option<u64> {
    if field.is_empty() {
        return None;
    }
    field.iter().try_fold(0u64, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// The number that decimal digits, perhaps after a minus sign, write.
pub(crate) fn signed(field: &[u8]) -> Option<i64> {
    match field.strip_prefix(b"-") {
        Some(digits) => 0i64.checked_sub_unsigned(unsigned(digits)?),
        None => unsigned(field)?.try_into().ok(),
    }
}

/// The finite real number a field writes, as the nearest `f32`.
pub(crate) fn real(field: &[u8]) -> Option<f32> {
    std::str::from_utf8(field).ok()?.parse().ok().filter(|value: &f32| value.is_finite())
}

/// A field as an error message quotes it: short, and printable whatever the bytes are.
pub(crate) fn shown(field: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&field[..field.len().min(LONGEST)]);
    let ellipsis = if field.len() > LONGEST { "..." } else { "" };
    format!("'{}{ellipsis}'", text.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly_or_not_at_all() {
        assert_eq!(unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(signed(b"-9223372036854775808"), Some(i64::MIN));
        for bad in [&b""[..], b"-1", b"+1", b"1.0", b" 1", b"1e3", b"18446744073709551616"] {
            assert_eq!(unsigned(bad), None, "{}", shown(bad));
        }
        for bad in [&b"-"[..], b"--1", b"9223372036854775808", b"-9223372036854775809"] {
            assert_eq!(signed(bad), None, "{}", shown(bad));
        }
        assert_eq!(real(b"-1.5e2"), Some(-150.0));
        for bad in [&b"NaN"[..], b"inf", b"1e99", b"", b"\xff"] {
            assert_eq!(real(bad), None, "{}", shown(bad));
        }
    }

    #[test]
    fn quoted_fields_are_short_and_printable() {
        assert_eq!(shown(b"a\xff\n"), "'a\u{fffd}\\n'");
        assert_eq!(shown(&[b'x'; 1000]).len(), 45);
    }

    #[test]
    fn a_missing_field_between_commas_is_seen() {
        assert_eq!(comma_separated(b" 1, ,2").collect::<Vec<_>>(), [&b"1"[..], b"", b"2"]);
        assert_eq!(blank_separated(b" 1\t 2 \r").collect::<Vec<_>>(), [b"1", b"2"]);
    }
}
