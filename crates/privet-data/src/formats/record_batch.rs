//! Columns of an Arrow record batch as ids, numbers, class names and lists, whatever types they
//! are stored in.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_schema::DataType;

use super::{Limits, number_text};
use crate::{FoundValue, Id, LimitExceeded, Result, SourceLocation};

/// The values of a primitive column, each turned into the wider type.
macro_rules! values {
    ($array:expr, $type:ty, $wide:ty) => {
        $array.as_primitive::<$type>().values().iter().map(|&value| value as $wide).collect()
    };
}

/// A column of node ids (or feature names), without gaps.
pub(crate) enum Ids<'a> {
    Unsigned(Vec<u64>),
    Signed(Vec<i64>),
    Texts(Vec<&'a str>),
}

impl<'a> Ids<'a> {
    /// The ids in a column; `first_row` is what its first row is called in an error.
    pub fn new(
        array: &'a ArrayRef,
        first_row: u64,
        place: &SourceLocation,
        limits: &Limits,
    ) -> Result<Self> {
        refuse_nulls(array, place, |row| first_row + row as u64)?;
        if let Some(texts) = array.as_string_view_opt() {
            refuse_shared_text(texts, place, limits)?;
        }
        let unfit = || {
            let found = FoundValue::words(format!("values of type {}", array.data_type()));
            place.malformed(found, "integers or text")
        };
        Self::unchecked(array).ok_or_else(unfit)
    }

    fn unchecked(array: &'a ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Self::Signed(values!(array, Int8Type, i64)),
            DataType::Int16 => Self::Signed(values!(array, Int16Type, i64)),
            DataType::Int32 => Self::Signed(values!(array, Int32Type, i64)),
            DataType::Int64 => Self::Signed(values!(array, Int64Type, i64)),
            DataType::UInt8 => Self::Unsigned(values!(array, UInt8Type, u64)),
            DataType::UInt16 => Self::Unsigned(values!(array, UInt16Type, u64)),
            DataType::UInt32 => Self::Unsigned(values!(array, UInt32Type, u64)),
            DataType::UInt64 => Self::Unsigned(values!(array, UInt64Type, u64)),
            DataType::Utf8 => Self::Texts(array.as_string::<i32>().iter().flatten().collect()),
            DataType::LargeUtf8 => Self::Texts(array.as_string::<i64>().iter().flatten().collect()),
            DataType::Utf8View => Self::Texts(array.as_string_view().iter().flatten().collect()),
            DataType::Dictionary(..) if array.is_empty() => Self::Texts(Vec::new()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                // No key is null, but an unused value may be: it must not shift the others.
                let keys = dictionary.normalized_keys();
                match dictionary.values().data_type() {
                    DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                        let texts = texts(dictionary.values())?;
                        Self::Texts(keys.into_iter().map(|key| texts[key]).collect())
                    }
                    _ => match Self::unchecked(dictionary.values())? {
                        Self::Unsigned(v) => {
                            Self::Unsigned(keys.into_iter().map(|key| v[key]).collect())
                        }
                        Self::Signed(v) => {
                            Self::Signed(keys.into_iter().map(|key| v[key]).collect())
                        }
                        Self::Texts(_) => return None,
                    },
                }
            }
            _ => return None,
        })
    }

    /// Calls `use_id` with the id in `row`.
    pub fn with<T>(&self, row: usize, use_id: impl FnOnce(Id<'_>) -> T) -> T {
        match self {
            Self::Unsigned(ids) => use_id(Id::Integer(ids[row])),
            Self::Signed(ids) => match u64::try_from(ids[row]) {
                Ok(id) => use_id(Id::Integer(id)),
                Err(_) => use_id(Id::Text(&ids[row].to_string())),
            },
            Self::Texts(ids) => use_id(Id::parse(ids[row])),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Unsigned(ids) => ids.len(),
            Self::Signed(ids) => ids.len(),
            Self::Texts(ids) => ids.len(),
        }
    }
}

/// Text with its nulls as empty text.
fn texts(array: &ArrayRef) -> Option<Vec<&str>> {
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(Option::unwrap_or_default).collect(),
        DataType::LargeUtf8 => {
            array.as_string::<i64>().iter().map(Option::unwrap_or_default).collect()
        }
        DataType::Utf8View => {
            array.as_string_view().iter().map(Option::unwrap_or_default).collect()
        }
        _ => return None,
    })
}

/// Texts of a view column may share bytes, so that a small file spells out a huge set of names.
pub(crate) fn refuse_shared_text(
    texts: &StringViewArray,
    place: &SourceLocation,
    limits: &Limits,
) -> Result<()> {
    let spelled: u64 = texts.lengths().map(u64::from).sum();
    let stored: u64 = texts.data_buffers().iter().map(|buffer| buffer.len() as u64).sum();
    let allowed = stored.saturating_mul(limits.expansion_ratio).max(Limits::RATIO_FROM);
    if spelled <= allowed {
        return Ok(());
    }
    let over = LimitExceeded {
        what: format!("{spelled} bytes of names out of {stored} stored ones"),
        limit: format!("{} times", limits.expansion_ratio),
        option: "--max-expansion-ratio",
    };
    Err(over.at(place))
}

fn refuse_nulls(
    array: &ArrayRef,
    place: &SourceLocation,
    row_of: impl Fn(usize) -> u64,
) -> Result<()> {
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(());
    };
    let row = (0..array.len()).find(|&row| nulls.is_null(row)).unwrap_or_default();
    let found = FoundValue::words(format!("a null in row {}", row_of(row)));
    Err(place.malformed(found, "a value in every row"))
}

/// Whether a column can be read by [`numbers`].
pub(crate) fn is_numeric(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || *kind == DataType::Boolean
}

/// A column of finite numbers, without gaps; `row_of` says in which row of the file a value stands.
pub(crate) fn numbers(
    array: &ArrayRef,
    place: &SourceLocation,
    row_of: impl Fn(usize) -> u64,
) -> Result<Vec<f32>> {
    refuse_nulls(array, place, &row_of)?;
    let values: Vec<f32> = match array.data_type() {
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().map(|v| v.to_f32()).collect()
        }
        DataType::Float32 => array.as_primitive::<Float32Type>().values().to_vec(),
        DataType::Float64 => values!(array, Float64Type, f32),
        DataType::Int8 => values!(array, Int8Type, f32),
        DataType::Int16 => values!(array, Int16Type, f32),
        DataType::Int32 => values!(array, Int32Type, f32),
        DataType::Int64 => values!(array, Int64Type, f32),
        DataType::UInt8 => values!(array, UInt8Type, f32),
        DataType::UInt16 => values!(array, UInt16Type, f32),
        DataType::UInt32 => values!(array, UInt32Type, f32),
        DataType::UInt64 => values!(array, UInt64Type, f32),
        DataType::Boolean => array.as_boolean().values().iter().map(f32::from).collect(),
        other => {
            return Err(
                place.malformed(FoundValue::words(format!("values of type {other}")), "numbers")
            );
        }
    };
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let found = format!("{} in row {}", values[at], row_of(at));
        return Err(place.malformed(found, number_text::EXPECTED));
    }
    Ok(values)
}

/// A column of class names; a null, an empty text and a float that is no number are no class.
pub(crate) fn classes<'a>(
    array: &'a ArrayRef,
    place: &SourceLocation,
) -> Result<Vec<Cow<'a, str>>> {
    if let Some(texts) = texts(array) {
        return Ok(texts.into_iter().map(Cow::Borrowed).collect());
    }
    let nulls = array.logical_nulls();
    let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let mut names: Vec<Cow<'a, str>> = match array.data_type() {
        DataType::Dictionary(..) if array.is_empty() => Vec::new(),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                vec![Cow::Borrowed(""); array.len()]
            } else {
                let values = classes(dictionary.values(), place)?;
                dictionary.normalized_keys().into_iter().map(|key| values[key].clone()).collect()
            }
        }
        DataType::Boolean => {
            let name = |value| Cow::Borrowed(if value { "true" } else { "false" });
            array.as_boolean().values().iter().map(name).collect()
        }
        // pandas turns integers with gaps into floats.
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values().iter();
            values.map(|v| if v.is_nan() { "".into() } else { v.to_string().into() }).collect()
        }
        _ => match Ids::unchecked(array) {
            Some(Ids::Signed(v)) => v.into_iter().map(|v| v.to_string().into()).collect(),
            Some(Ids::Unsigned(v)) => v.into_iter().map(|v| v.to_string().into()).collect(),
            _ => {
                let found = FoundValue::words(format!("values of type {}", array.data_type()));
                return Err(place.malformed(found, "integers or text"));
            }
        },
    };
    let null_rows = (0..names.len()).filter(|&row| is_null(row)).collect::<Vec<_>>();
    null_rows.into_iter().for_each(|row| names[row] = Cow::Borrowed(""));
    Ok(names)
}

/// Whether a column can be read by [`lists`].
pub(crate) fn is_list(kind: &DataType) -> bool {
    matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
}

/// The values of a column of lists, and where the list of each row lies among them; a null list
/// has no values.
pub(crate) fn lists(array: &ArrayRef) -> Option<(Vec<Range<usize>>, &ArrayRef)> {
    let (mut ranges, values): (Vec<Range<usize>>, _) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let range = |w: &[i32]| w[0] as usize..w[1] as usize;
            (list.value_offsets().windows(2).map(range).collect(), list.values())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let range = |w: &[i64]| w[0] as usize..w[1] as usize;
            (list.value_offsets().windows(2).map(range).collect(), list.values())
        }
        DataType::FixedSizeList(_, size) => {
            let (list, size) = (array.as_fixed_size_list(), (*size).max(0) as usize);
            let start = list.value_offset_at(0);
            let range = |row: usize| start + row * size..start + (row + 1) * size;
            ((0..list.len()).map(range).collect(), list.values())
        }
        _ => return None,
    };
    for (row, range) in ranges.iter_mut().enumerate() {
        if array.is_null(row) {
            *range = 0..0;
        }
    }
    Some((ranges, values))
}
