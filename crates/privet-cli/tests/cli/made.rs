//! Files made for tests: compressed, archived, numpy arrays, pickles.

use std::io::{Cursor, Write};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The first share of some bytes: a download that was cut off.
pub fn cut(bytes: &[u8], percent: usize) -> &[u8] {
    &bytes[..bytes.len() * percent / 100]
}

/// A numpy array of version 1.0.
pub fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(b' ');
    }
    header.push(b'\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header);
    bytes.extend(data);
    bytes
}

pub fn i32s(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub fn i64s(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The arrays of a path `0 - 1 - 2` with a feature and a label each, as an npz; `replaced` members
/// stand in for the good ones, or beside them.
pub fn npz(replaced: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut members = vec![
        ("adj_data.npy", npy("<f4", "(4,)", &f32s(&[1.0; 4]))),
        ("adj_indices.npy", npy("<i4", "(4,)", &i32s(&[1, 0, 2, 1]))),
        ("adj_indptr.npy", npy("<i4", "(4,)", &i32s(&[0, 1, 3, 4]))),
        ("adj_shape.npy", npy("<i8", "(2,)", &i64s(&[3, 3]))),
        ("attr_data.npy", npy("<f4", "(3,)", &f32s(&[1.0, 0.5, 2.0]))),
        ("attr_indices.npy", npy("<i4", "(3,)", &i32s(&[0, 1, 0]))),
        ("attr_indptr.npy", npy("<i4", "(4,)", &i32s(&[0, 1, 2, 3]))),
        ("attr_shape.npy", npy("<i8", "(2,)", &i64s(&[3, 2]))),
        ("labels.npy", npy("<i8", "(3,)", &i64s(&[0, 1, 0]))),
    ];
    for (name, bytes) in replaced {
        match members.iter_mut().find(|(member, _)| member == name) {
            Some(member) => member.1 = bytes.clone(),
            None => members.push((name, bytes.clone())),
        }
    }
    let borrowed: Vec<(&str, &[u8])> = members.iter().map(|(n, b)| (*n, b.as_slice())).collect();
    zip(&borrowed)
}

/// A pickle that would run `os.system("echo owned")` in Python.
pub fn evil_pickle() -> Vec<u8> {
    b"\x80\x02cos\nsystem\nq\x00X\x0a\x00\x00\x00echo ownedq\x01\x85q\x02Rq\x03.".to_vec()
}
