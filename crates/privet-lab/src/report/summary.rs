//! Numbers as people read them. Nothing statistical: means and intervals come in as numbers.

use privet::words::count;
use serde::{Deserialize, Serialize};

use super::json::number;

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberUnit {
    /// As it is.
    #[default]
    Plain,
    /// A share of one, shown as percent: 0.813 is `81.3 %`.
    Percent,
}

impl NumberUnit {
    /// What a value of 1 is shown as.
    pub(super) fn factor(self) -> f64 {
        match self {
            Self::Plain => 1.0,
            Self::Percent => 100.0,
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Percent => " %",
        }
    }
}

/// A quantity that was measured several times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredValue {
    /// The mean over the runs.
    #[serde(with = "number")]
    pub mean: f64,
    /// The standard deviation over the runs; NaN for a single run.
    #[serde(with = "number")]
    pub deviation: f64,
    /// The lower end of the mean's 95 % confidence interval; NaN if there is none.
    #[serde(with = "number")]
    pub low95: f64,
    /// Its upper end.
    #[serde(with = "number")]
    pub high95: f64,
    /// How many runs.
    pub runs: u64,
    /// How it is shown.
    pub unit: NumberUnit,
}

impl MeasuredValue {
    /// A single run: no deviation, no interval.
    pub fn once(mean: f64, unit: NumberUnit) -> Self {
        let none = f64::NAN;
        Self { mean, deviation: none, low95: none, high95: none, runs: 1, unit }
    }

    /// `81.3 ± 0.5 %`, or `81.3 %` for a single run.
    pub fn short(&self) -> String {
        let (factor, decimals) = (self.unit.factor(), self.decimals());
        let mean = fixed(self.mean * factor, decimals);
        let deviation = match self.deviation.is_finite() {
            true => format!(" ± {}", fixed(self.deviation * factor, decimals)),
            false => String::new(),
        };
        format!("{mean}{deviation}{}", self.unit.sign())
    }

    /// `95 %: 80.9 to 81.7; 10 runs`: the confidence interval of the mean.
    pub fn interval(&self) -> String {
        let (factor, decimals) = (self.unit.factor(), self.decimals());
        let runs = counted(self.runs, "run");
        if self.low95.is_finite() && self.high95.is_finite() {
            let [low, high] = [self.low95, self.high95].map(|end| fixed(end * factor, decimals));
            format!("95 %: {low} to {high}; {runs}")
        } else {
            runs
        }
    }

    /// The paper's number and how far ours is from it, in the same unit and digits.
    pub(super) fn against(&self, theirs: f64) -> String {
        let (factor, decimals) = (self.unit.factor(), self.decimals());
        let difference = (self.mean - theirs) * factor;
        let sign = if difference > 0.0 { "+" } else { "" };
        let theirs = fixed(theirs * factor, decimals);
        format!("paper {theirs}, difference {sign}{}", fixed(difference, decimals))
    }

    /// As many decimals as the deviation has something to say about: two digits of it, and for
    /// percentages at least one decimal, as papers print them.
    fn decimals(&self) -> usize {
        let spread = (self.deviation * self.unit.factor()).abs();
        let least = if self.unit == NumberUnit::Percent { 1 } else { 0 };
        if spread.is_finite() && spread > 0.0 {
            let digits = 1 - spread.log10().floor().clamp(-8.0, 8.0) as i64;
            let most = if self.unit == NumberUnit::Percent && spread >= 0.1 { 1 } else { 8 };
            usize::try_from(digits).unwrap_or(0).clamp(least, most)
        } else {
            significant(self.mean * self.unit.factor(), 4).max(least)
        }
    }
}

/// How many decimals show `digits` significant digits.
fn significant(value: f64, digits: i64) -> usize {
    if !value.is_finite() || value == 0.0 {
        return 0;
    }
    let before = value.abs().log10().floor() as i64 + 1;
    usize::try_from(digits - before).unwrap_or(0).min(12)
}

/// A number to four significant digits, with thousands apart; powers of ten where it needs them.
pub fn plain(value: f64) -> String {
    if value != 0.0 && value.is_finite() && !(1e-4..1e15).contains(&value.abs()) {
        return power_of_ten(value);
    }
    let text = fixed(value, significant(value, 4));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// A number in a unit.
pub fn in_unit(value: f64, unit: NumberUnit) -> String {
    format!("{}{}", plain(value * unit.factor()), unit.sign())
}

/// A number with so many decimals, thousands apart, and a true minus sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return match value {
            f64::INFINITY => "∞".into(),
            f64::NEG_INFINITY => "−∞".into(),
            _ => "not a number".into(),
        };
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let negative = value < 0.0 && text.contains(|digit| matches!(digit, '1'..='9'));
    format!("{}{}{fraction}", if negative { "−" } else { "" }, thousands(whole))
}

/// `2.5×10⁶`.
pub fn power_of_ten(value: f64) -> String {
    let text = format!("{value:.3e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let digits = digits.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    let exponent = raised(exponent);
    match digits.as_str() {
        "1" => format!("10{exponent}"),
        _ => format!("{digits}×10{exponent}"),
    }
}

/// Digits as superscripts.
fn raised(exponent: &str) -> String {
    let letters = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |letter: char| match letter.to_digit(10) {
        Some(digit) => letters[digit as usize],
        None => '⁻',
    };
    exponent.chars().map(raise).collect()
}

/// `1,234,567`; up to four digits stay together.
fn thousands(digits: &str) -> String {
    match digits.parse::<u64>() {
        Ok(number) if digits.len() > 4 => count(number),
        _ => digits.into(),
    }
}

/// `1 run`, `10 runs`.
pub fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(&count.to_string()))
}

/// `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 4 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".into();
    }
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 0.001 => format!("{} µs", plain((s * 1e6).round())),
        s if s < 1.0 => format!("{} ms", plain((s * 1e3).round())),
        s if s < 59.95 => format!("{s:.1} s"),
        _ if whole < 3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", thousands(&(whole / 3600).to_string()), whole % 3600 / 60),
    }
}

/// `512 B`, `3.4 MiB`.
pub fn bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && value < 100.0);
    format!("{value:.decimals$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(mean: f64, deviation: f64, unit: NumberUnit) -> MeasuredValue {
        let half = deviation / 2.0;
        MeasuredValue { mean, deviation, low95: mean - half, high95: mean + half, runs: 10, unit }
    }

    #[test]
    fn measurements_show_the_digits_they_have() {
        let cases = [
            (
                measured(0.8134, 0.0051, NumberUnit::Percent),
                "81.3 ± 0.5 %",
                "95 %: 81.1 to 81.6; 10 runs",
            ),
            (
                measured(0.8134, 0.000_2, NumberUnit::Percent),
                "81.340 ± 0.020 %",
                "95 %: 81.330 to 81.350; 10 runs",
            ),
            (
                measured(0.8134, 0.123, NumberUnit::Percent),
                "81.3 ± 12.3 %",
                "95 %: 75.2 to 87.5; 10 runs",
            ),
            (
                measured(1234.567, 3.21, NumberUnit::Plain),
                "1234.6 ± 3.2",
                "95 %: 1233.0 to 1236.2; 10 runs",
            ),
            (
                measured(123_456.7, 3210.0, NumberUnit::Plain),
                "123,457 ± 3210",
                "95 %: 121,852 to 125,062; 10 runs",
            ),
            (MeasuredValue::once(0.5, NumberUnit::Percent), "50.00 %", "1 run"),
            (
                measured(0.5, 0.0, NumberUnit::Percent),
                "50.00 ± 0.00 %",
                "95 %: 50.00 to 50.00; 10 runs",
            ),
        ];
        for (value, short, interval) in cases {
            assert_eq!((value.short().as_str(), value.interval().as_str()), (short, interval));
        }
        let ours = measured(0.8134, 0.0051, NumberUnit::Percent);
        assert_eq!(ours.against(0.82), "paper 82.0, difference −0.7");
        assert_eq!(ours.against(0.8), "paper 80.0, difference +1.3");
        assert_eq!(MeasuredValue::once(f64::NAN, NumberUnit::Plain).short(), "not a number");
    }

    #[test]
    fn plain_numbers() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (0.25, "0.25"),
            (-1.5, "−1.5"),
            (123_456_789.0, "123,456,789"),
            (1e-9, "10⁻⁹"),
            (-2.5e20, "−2.5×10²⁰"),
            (f64::INFINITY, "∞"),
            (f64::NAN, "not a number"),
        ];
        for (value, text) in cases {
            assert_eq!(plain(value), text);
        }
        assert_eq!(fixed(-0.04, 1), "0.0");
    }

    #[test]
    fn durations_and_sizes() {
        let times = [0.0, 0.000_012, 0.25, 3.44, 59.96, 125.0, 3840.0, f64::NAN].map(duration);
        assert_eq!(
            times,
            ["0 µs", "12 µs", "250 ms", "3.4 s", "1 min 0 s", "2 min 5 s", "1 h 4 min", "unknown"]
        );
        assert_eq!([512, 3_565_158, 1 << 40].map(bytes), ["512 B", "3.4 MiB", "1.0 TiB"]);
        assert_eq!([1, 12_345].map(|count| counted(count, "run")), ["1 run", "12,345 runs"]);
    }
}
