//! Numbers that JSON cannot hold: infinities and NaN travel as words.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Held {
    Number(f64),
    Word(Word),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Inf,
    #[serde(rename = "-inf")]
    MinusInf,
    Nan,
}

impl From<f64> for Held {
    fn from(value: f64) -> Self {
        match value {
            f64::INFINITY => Self::Word(Word::Inf),
            f64::NEG_INFINITY => Self::Word(Word::MinusInf),
            value if value.is_nan() => Self::Word(Word::Nan),
            value => Self::Number(value),
        }
    }
}

impl From<Held> for f64 {
    fn from(held: Held) -> Self {
        match held {
            Held::Number(value) => value,
            Held::Word(Word::Inf) => Self::INFINITY,
            Held::Word(Word::MinusInf) => Self::NEG_INFINITY,
            Held::Word(Word::Nan) => Self::NAN,
        }
    }
}

/// For `#[serde(with = "number")]`.
pub mod number {
    use super::*;

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Held::from(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Held::deserialize(deserializer).map(f64::from)
    }
}

/// The same for a number that may be missing.
pub mod maybe {
    use super::*;

    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Held::from).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Held>::deserialize(from)?.map(f64::from))
    }
}

/// The same for a list.
pub mod list {
    use super::*;

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|&value| Held::from(value)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<Held>::deserialize(from)?.into_iter().map(f64::from).collect())
    }
}
