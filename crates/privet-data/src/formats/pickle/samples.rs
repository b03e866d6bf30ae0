//! Pickles as numpy and scipy write them, for tests.

/// `_reconstruct(ndarray, (0,), 'b')` with dtype, shape and values, as numpy pickles an array.
pub(crate) fn array_bytes(shape: &[u8], code: &str, values: &[u8]) -> Vec<u8> {
    let mut out =
        b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R".to_vec();
    out.extend(b"(K\x01(");
    shape.iter().for_each(|&length| out.extend([b'K', length]));
    out.extend(b"tcnumpy\ndtype\nU");
    out.push(code.len() as u8);
    out.extend(code.as_bytes());
    out.extend(b"K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T");
    out.extend((values.len() as u32).to_le_bytes());
    out.extend(values);
    out.extend(b"tb");
    out
}

/// A whole pickle around the opcodes of one value.
pub(crate) fn pickle(body: &[u8]) -> Vec<u8> {
    [b"\x80\x02", body, b"."].concat()
}

/// A `csr_matrix` with a pickled dict of its arrays.
pub(crate) fn csr_bytes(
    [rows, columns]: [u8; 2],
    indptr: &[i32],
    indices: &[i32],
    data: &[f32],
) -> Vec<u8> {
    let words = |values: &[i32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let length = |values: &[i32]| values.len() as u8;
    let mut body = b"cscipy.sparse.csr\ncsr_matrix\nq\x01)\x81q\x02}q\x03(".to_vec();
    body.extend(b"U\x06formatU\x03csrU\x06_shape");
    body.extend([b'K', rows, b'K', columns, 0x86]);
    body.extend(b"U\x06indptr");
    body.extend(array_bytes(&[length(indptr)], "i4", &words(indptr)));
    body.extend(b"U\x07indices");
    body.extend(array_bytes(&[length(indices)], "i4", &words(indices)));
    body.extend(b"U\x04data");
    let values: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
    body.extend(array_bytes(&[data.len() as u8], "f4", &values));
    body.extend(b"ub");
    pickle(&body)
}
