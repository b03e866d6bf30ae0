use std::io::Cursor;

use proptest::prelude::*;

use super::*;

fn npy(version: u8, dict: &str, values: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((dict.len() as u16).to_le_bytes()),
        _ => bytes.extend((dict.len() as u32).to_le_bytes()),
    }
    bytes.extend(dict.as_bytes());
    bytes.extend(values);
    bytes
}

fn plain(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    npy(1, &dict, values)
}

fn place() -> SourceLocation {
    SourceLocation::file("x.npy")
}

fn read(bytes: Vec<u8>) -> Result<Array> {
    Array::read(Input::new(place(), Cursor::new(bytes)))
}

fn integers(bytes: Vec<u8>) -> Vec<i64> {
    read(bytes).unwrap().integers("an i64").unwrap()
}

#[test]
fn every_integer_type_in_both_byte_orders() {
    assert_eq!(integers(plain("|b1", "(2,)", &[0, 1])), [0, 1]);
    assert_eq!(integers(plain("|i1", "(2,)", &[255, 1])), [-1, 1]);
    assert_eq!(integers(plain("|u1", "(1,)", &[255])), [255]);
    for width in [2usize, 4, 8] {
        let big: Vec<u8> = (0..width as u8).collect();
        let little: Vec<u8> = big.iter().rev().copied().collect();
        let value = big.iter().fold(0i64, |sum, &b| (sum << 8) | i64::from(b));
        for kind in ['i', 'u'] {
            assert_eq!(integers(plain(&format!("<{kind}{width}"), "(1,)", &little)), [value]);
            assert_eq!(integers(plain(&format!(">{kind}{width}"), "(1,)", &big)), [value]);
        }
    }
    let huge = read(plain("<u8", "()", &[255; 8])).unwrap();
    assert_eq!(huge.shape(), &[] as &[usize]);
    assert_eq!(huge.integers::<u64>("").unwrap(), [u64::MAX]);
    let told = huge.integers::<i64>("an i64").unwrap_err().with_values();
    assert_eq!(told, "x.npy: found the value 18446744073709551615 at position 0; expected an i64");
}

#[test]
fn every_float_type_and_integers_as_floats() {
    let floats = |bytes| read(bytes).unwrap().floats().unwrap();
    assert_eq!(floats(plain("<f4", "(1,)", &1.5f32.to_le_bytes())), [1.5]);
    assert_eq!(floats(plain(">f8", "(1,)", &(-0.1f64).to_be_bytes())), [-0.1]);
    assert_eq!(floats(plain("<i2", "(1,)", &[3, 0])), [3.0]);
    // 1, -2, the smallest subnormal, the largest finite half, infinity.
    let halves = [0x3c00u16, 0xc000, 0x0001, 0x7bff, 0x7c00].map(u16::to_le_bytes).concat();
    let expected = [1.0, -2.0, 2f32.powi(-24), 65504.0, f32::INFINITY];
    assert_eq!(floats(plain("<f2", "(5,)", &halves)), expected);
    assert!(item::half_to_single(0x7e00).is_nan());
    // Neither infinite nor a number that fits.
    let large = read(plain("<f8", "(2,)", &[0.5f64, 1e300].map(f64::to_le_bytes).concat()));
    let told = large.unwrap().floats().unwrap_err().to_string();
    assert!(told.contains("within 32-bit range") && !told.contains("finite"), "{told}");
}

#[test]
fn text_in_both_encodings() {
    let wide =
        |order: fn(u32) -> [u8; 4]| ['é', '\0', 'a', 'b'].map(|c| order(u32::from(c))).concat();
    for bytes in [
        plain("<U2", "(2,)", &wide(u32::to_le_bytes)),
        plain(">U2", "(2,)", &wide(u32::to_be_bytes)),
        plain("|S2", "(2,)", "éab".as_bytes()),
    ] {
        assert_eq!(read(bytes).unwrap().texts().unwrap(), ["é", "ab"]);
    }
    let array = read(plain("<U1", "(1,)", &[0, 0xd8, 0, 0])).unwrap();
    assert!(array.texts().unwrap_err().with_values().contains("position 0"));
    assert!(array.floats().is_err());
    assert!(read(plain("|S1", "(1,)", &[0xff])).unwrap().texts().is_err());
}

#[test]
fn fortran_order_becomes_c_order() {
    let dict = "{'shape': (2, 3), 'fortran_order': True, 'descr': '|u1'}";
    for version in [1, 2, 3] {
        let array = read(npy(version, dict, &[1, 4, 2, 5, 3, 6])).unwrap();
        assert_eq!(array.shape(), [2, 3]);
        assert_eq!(array.integers::<u8>("").unwrap(), [1, 2, 3, 4, 5, 6]);
    }
    let empty = "{'shape': (9000000000000000000, 0), 'fortran_order': True, 'descr': '|u1'}";
    assert!(read(npy(1, empty, &[])).unwrap().is_empty());
}

#[test]
fn what_is_not_plain_is_refused_by_name() {
    let told = |bytes| read(bytes).unwrap_err().with_values();
    let object = told(plain("|O", "()", b"\x80\x02N."));
    assert!(object.contains("refused") && object.contains("object array is a pickle"), "{object}");
    assert!(told(plain("<c8", "(1,)", &[0; 8])).contains("the type '<c8'"));
    assert!(told(plain("<U0", "(999999999999,)", &[])).contains("the type '<U0'"));
    assert!(told(plain("|u1", "(1, 1, 1)", &[0])).contains("3 dimensions"));
    let records = "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }";
    assert!(told(npy(1, records, &[0; 4])).contains("records"));
    assert!(told(npy(4, "{}", &[])).contains("version 4"));
    assert!(told(b"PK\x03\x04 and so on".to_vec()).contains("begins with 'PK"));
}

#[test]
fn shapes_that_lie_are_found_out() {
    let told = |bytes| read(bytes).unwrap_err().with_values();
    assert!(told(plain("<f8", "(4294967296, 4294967296)", &[])).contains("fits in memory"));
    assert!(told(plain("<f8", "(99999999999999999999,)", &[])).contains("fits in memory"));
    assert!(told(plain("<f8", "(100000000000,)", &[0; 8])).contains("8 bytes of values"));
    assert!(told(plain("|u1", "(1,)", &[0, 0])).contains("at least 2 bytes"));
    let mut header = b"\x93NUMPY\x02\x00".to_vec();
    header.extend(u32::MAX.to_le_bytes());
    assert!(told(header).contains("header of 4294967295 bytes"));
}

#[test]
fn headers_are_read_strictly() {
    for dict in [
        "",
        "{",
        "{}",
        "{'descr': '<f4'}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} + x",
        "{'descr: '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': ()}",
    ] {
        assert!(read(npy(1, dict, &[0; 4])).is_err(), "{dict}");
    }
    assert!(read(plain("<f4", "(1L,)", &[0; 4])).is_ok());
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let mut whole = Vec::new();
    write_numbers(&mut whole, &[2, 3], [1i32, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(integers(whole.clone()), [1, 2, 3, 4, 5, 6]);
    for length in 0..whole.len() {
        assert!(read(whole[..length].to_vec()).is_err(), "cut at {length}");
    }
}

#[test]
fn written_headers_are_what_numpy_writes() {
    let mut bytes = Vec::new();
    write_numbers(&mut bytes, &[2], [1.0f32, 2.0]).unwrap();
    let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    expected.extend(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
    expected.resize(127, b' ');
    expected.extend(b"\n\x00\x00\x80\x3f\x00\x00\x00\x40");
    assert_eq!(bytes, expected);
    assert!(write_numbers(&mut Vec::new(), &[2], [1.0f32]).is_err());
    assert!(write_numbers(&mut Vec::new(), &[2], [1.0f32; 3]).is_err());
    assert!(write_texts(&mut Vec::new(), &[1], ["a\0"]).is_err());
}

proptest! {
    #[test]
    fn arbitrary_and_mutated_bytes_never_panic(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        position in 0usize..200,
        byte in any::<u8>(),
    ) {
        let _ = read(noise.clone());
        let mut framed = plain("<U3", "(5, 2)", &[b'a'; 120]);
        let at = position % framed.len();
        framed[at] = byte;
        framed.extend(noise);
        for bytes in [framed.clone(), framed[..framed.len().min(180)].to_vec()] {
            if let Ok(array) = read(bytes) {
                let _ = (array.texts(), array.floats());
                let _ = array.integers::<u32>("");
            }
        }
    }

    #[test]
    fn texts_round_trip(texts in prop::collection::vec("[^\0]{0,6}", 0..8)) {
        let mut bytes = Vec::new();
        write_texts(&mut bytes, &[texts.len()], &texts).unwrap();
        prop_assert_eq!(read(bytes).unwrap().texts().unwrap(), texts);
    }
}
