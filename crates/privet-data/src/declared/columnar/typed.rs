//! [`Typed`]: a column of a batch, and its cells.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeStringArray, StringArray, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};

use crate::declared::Cell;
use crate::declared::moment::Instant;
use crate::formats::Limits;
use crate::formats::record_batch::refuse_shared_text;
use crate::{FoundValue, Result, SourceLocation};

const DAY: i64 = 86_400;

/// A column of a batch.
pub(super) struct Typed {
    nulls: Option<NullBuffer>,
    values: Values,
}

enum Values {
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Booleans(BooleanArray),
    Integers(Vec<i64>),
    Unsigned(Vec<u64>),
    Reals(Vec<f64>),
    /// So many parts of a second, and how many make one.
    Times(Vec<i64>, i64),
    Days(Vec<i64>),
    /// Positions in another column.
    Keys(Vec<usize>, Box<Typed>),
}

impl Typed {
    /// The cells of a column.
    pub fn new(array: &ArrayRef, place: &SourceLocation, limits: &Limits) -> Result<Self> {
        if let Some(texts) = array.as_string_view_opt() {
            refuse_shared_text(texts, place, limits)?;
        }
        let values = match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let inner = Self::new(dictionary.values(), place, limits)?;
                let keys = match dictionary.values().is_empty() {
                    true => vec![0; array.len()],
                    false => dictionary.normalized_keys(),
                };
                Values::Keys(keys, Box::new(inner))
            }
            kind => plain(array).ok_or_else(|| {
                let found = FoundValue::words(format!("values of type {kind}"));
                place.malformed(found, "text, numbers, truth values, dates or times")
            })?,
        };
        Ok(Self { nulls: array.nulls().cloned(), values })
    }

    /// The cell in a row.
    #[inline]
    pub fn cell(&self, row: usize) -> Cell<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Cell::Nothing;
        }
        match &self.values {
            Values::Text(texts) => Cell::text(texts.value(row)),
            Values::LargeText(texts) => Cell::text(texts.value(row)),
            Values::TextView(texts) => Cell::text(texts.value(row)),
            Values::Booleans(values) => {
                Cell::Text(if values.value(row) { "true" } else { "false" })
            }
            Values::Integers(values) => Cell::Integer(values[row].into()),
            Values::Unsigned(values) => Cell::Integer(values[row].into()),
            Values::Reals(values) => Cell::Real(values[row]),
            Values::Times(values, per_second) => {
                let seconds = values[row].div_euclid(*per_second);
                let parts = values[row].rem_euclid(*per_second);
                let nanoseconds = (parts * (1_000_000_000 / per_second)) as u32;
                Cell::Instant(Instant { seconds, nanoseconds })
            }
            Values::Days(values) => {
                let seconds = values[row].saturating_mul(DAY);
                Cell::Instant(Instant { seconds, nanoseconds: 0 })
            }
            // No value at all: every key is null.
            Values::Keys(keys, values) => match values.is_empty() {
                true => Cell::Nothing,
                false => values.cell(keys[row]),
            },
        }
    }

    fn is_empty(&self) -> bool {
        match &self.values {
            Values::Text(texts) => texts.is_empty(),
            Values::LargeText(texts) => texts.is_empty(),
            Values::TextView(texts) => texts.is_empty(),
            Values::Booleans(values) => values.is_empty(),
            Values::Integers(values) | Values::Times(values, _) | Values::Days(values) => {
                values.is_empty()
            }
            Values::Unsigned(values) => values.is_empty(),
            Values::Reals(values) => values.is_empty(),
            Values::Keys(keys, _) => keys.is_empty(),
        }
    }
}

fn all<P: ArrowPrimitiveType, T>(array: &ArrayRef, turn: impl Fn(P::Native) -> T) -> Vec<T> {
    array.as_primitive::<P>().values().iter().map(|&value| turn(value)).collect()
}

/// The values of a column that is no dictionary.
fn plain(array: &ArrayRef) -> Option<Values> {
    use Values::{Booleans, Days, Integers, LargeText, Reals, Text, TextView, Times, Unsigned};
    Some(match array.data_type() {
        DataType::Utf8 => Text(array.as_string::<i32>().clone()),
        DataType::LargeUtf8 => LargeText(array.as_string::<i64>().clone()),
        DataType::Utf8View => TextView(array.as_string_view().clone()),
        DataType::Boolean => Booleans(array.as_boolean().clone()),
        DataType::Int8 => Integers(all::<Int8Type, _>(array, i64::from)),
        DataType::Int16 => Integers(all::<Int16Type, _>(array, i64::from)),
        DataType::Int32 => Integers(all::<Int32Type, _>(array, i64::from)),
        DataType::Int64 => Integers(all::<Int64Type, _>(array, |value| value)),
        DataType::UInt8 => Unsigned(all::<UInt8Type, _>(array, u64::from)),
        DataType::UInt16 => Unsigned(all::<UInt16Type, _>(array, u64::from)),
        DataType::UInt32 => Unsigned(all::<UInt32Type, _>(array, u64::from)),
        DataType::UInt64 => Unsigned(all::<UInt64Type, _>(array, |value| value)),
        DataType::Float16 => Reals(all::<Float16Type, _>(array, |value| value.to_f64())),
        DataType::Float32 => Reals(all::<Float32Type, _>(array, f64::from)),
        DataType::Float64 => Reals(all::<Float64Type, _>(array, |value| value)),
        DataType::Decimal128(_, scale) => {
            let unit = 10_f64.powi(i32::from(*scale));
            Reals(all::<Decimal128Type, _>(array, |value| value as f64 / unit))
        }
        DataType::Date32 => Days(all::<Date32Type, _>(array, i64::from)),
        DataType::Date64 => Times(all::<Date64Type, _>(array, |value| value), 1_000),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => Times(all::<TimestampSecondType, _>(array, |value| value), 1),
            TimeUnit::Millisecond => {
                Times(all::<TimestampMillisecondType, _>(array, |value| value), 1_000)
            }
            TimeUnit::Microsecond => {
                Times(all::<TimestampMicrosecondType, _>(array, |value| value), 1_000_000)
            }
            TimeUnit::Nanosecond => {
                Times(all::<TimestampNanosecondType, _>(array, |value| value), 1_000_000_000)
            }
        },
        _ => return None,
    })
}
