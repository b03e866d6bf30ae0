use proptest::prelude::*;

use super::samples::{array_bytes, csr_bytes, pickle};
use super::*;

fn csr_sample() -> Vec<u8> {
    csr_bytes([2, 3], &[0, 2, 3], &[0, 2, 1], &[1.0, 2.0, 0.5])
}

fn place() -> SourceLocation {
    SourceLocation::file("ind.x")
}

fn told(bytes: &[u8]) -> String {
    Pickle::parse(bytes, &place()).unwrap_err().with_values()
}

#[test]
fn the_three_shapes_of_planetoid() {
    let bytes = csr_sample();
    let matrix = Pickle::parse(&bytes, &place()).unwrap().matrix().unwrap();
    assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
    assert_eq!(matrix.row(0), (&[0, 2][..], &[1.0, 2.0][..]));

    let bytes = pickle(&array_bytes(&[1, 2], "i1", &[7, 255]));
    let array = Pickle::parse(&bytes, &place()).unwrap().array().unwrap();
    assert_eq!(array.shape(), [1, 2]);
    assert_eq!(array.integers::<i8>("").unwrap(), [7, -1]);

    let lists = pickle(
        b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x00](K\x01M\x02\x00eK\x01]K\x00au",
    );
    let lists = Pickle::parse(&lists, &place()).unwrap().integer_lists().unwrap();
    assert_eq!(lists, [(0, vec![1, 2]), (1, vec![0])]);
}

#[test]
fn anything_that_could_run_is_refused_by_name() {
    let bomb = b"\x80\x02cos\nsystem\nU\x09echo pwnd\x85R.";
    assert_eq!(
        told(bomb),
        "ind.x: refused: the name 'os.system' at byte 2 of the pickle is not needed for arrays; \
         nothing in a pickle is ever executed"
    );
    for (bytes, name) in [
        (&b"(ios\nsystem\n."[..], "INST (0x69) at byte 1"),
        (b"(cos\nsystem\no.", "os.system"),
        (b"\x8c\x02os\x8c\x06system\x93.", "SHORT_BINUNICODE"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"Pid\n.", "PERSID"),
        (b"\x80\x02X\x01\x00\x00\x00a.", "BINUNICODE"),
        (b"cnumpy\nload\n.", "numpy.load"),
        (b"c__builtin__\neval\n.", "__builtin__.eval"),
        (b"\xff", "unknown (0xff)"),
        // Allowed names in calls that plain arrays do not make.
        (b"c__builtin__\nlist\n)R.", "a call of List"),
        (b"c__builtin__\nlist\n)\x81.", "NEWOBJ of the name of a class"),
        (
            b"cnumpy.core.multiarray\n_reconstruct\nc__builtin__\nlist\n\x85R.",
            "a call of Reconstruct",
        ),
        (b"]}b.", "BUILD of a list from a dictionary"),
        (b"c__builtin__\nlist\n}b.", "BUILD of the name of a class"),
    ] {
        let told = told(bytes);
        assert!(told.contains("refused") && told.contains(name), "{told}");
    }
    assert!(told(b"\x80\x04.").contains("pickle protocol 4"));
}

#[test]
fn damaged_programs_are_errors() {
    for (bytes, found) in [
        (&b""[..], "0 bytes of 1"),
        (b".", "an empty stack"),
        (b"t.", "no mark"),
        (b"K\x01(K\x02a.", "an empty stack"),
        (b"N(q\x01.", "an empty stack"),
        (b"K\x01a.", "an empty stack"),
        (b"NK\x01a.", "None at byte 3"),
        (b"}(K\x01u.", "a dictionary at byte 4"),
        (b"h\x07.", "memo entry 7"),
        (b"T\xff\xff\xff\xff.", "1 bytes of 4294967295"),
        (b"cos", "a name without end"),
        (b"N.N.", "2 bytes after STOP"),
    ] {
        let told = told(bytes);
        assert!(told.contains(found), "{told}");
    }
}

#[test]
fn values_of_another_kind_are_named() {
    let bytes = pickle(b"N");
    let none = Pickle::parse(&bytes, &place()).unwrap();
    assert!(none.array().unwrap_err().with_values().contains("found None; expected a numpy array"));
    assert!(none.matrix().is_err() && none.integer_lists().is_err());
    let objects = pickle(&array_bytes(&[1], "O8", &[0; 8]));
    let told = Pickle::parse(&objects, &place()).unwrap().array().unwrap_err().with_values();
    assert!(told.contains("object array is a pickle"), "{told}");
    let short = pickle(&array_bytes(&[2], "i4", &[0; 4]));
    assert!(Pickle::parse(&short, &place()).unwrap().array().is_err());
    let twice = pickle(b"}(K\x01]K\x01]u");
    assert!(Pickle::parse(&twice, &place()).unwrap().integer_lists().is_err());
}

#[test]
fn nested_references_do_not_multiply() {
    // Each list holds the one before it ten times: 10^60 values if anybody wrote them out.
    let mut bytes = b"\x80\x02]q\x00".to_vec();
    for depth in 0..60u8 {
        bytes.extend([b']', b'q', depth + 1, b'(']);
        (0..10).for_each(|_| bytes.extend([b'h', depth]));
        bytes.push(b'e');
    }
    bytes.push(b'.');
    let parsed = Pickle::parse(&bytes, &place()).unwrap();
    assert!(parsed.objects.len() < 100);
    assert!(parsed.integer_lists().is_err());
    // A list that holds itself.
    assert!(Pickle::parse(b"]q\x00h\x00a.", &place()).is_ok());
    // One list under many keys would be a graph much larger than the file.
    let shared = pickle(b"}(K\x01]q\x00K\x02h\x00u");
    let told = Pickle::parse(&shared, &place()).unwrap().integer_lists().unwrap_err().with_values();
    assert!(told.contains("another key"), "{told}");
    // Many marks nest without recursion.
    let mut deep = vec![b'('; 200_000];
    deep.extend(vec![b't'; 200_000]);
    deep.push(b'.');
    assert!(Pickle::parse(&deep, &place()).is_ok());
}

#[test]
fn a_pickle_cut_anywhere_is_an_error() {
    let whole = csr_sample();
    for length in 0..whole.len() {
        assert!(Pickle::parse(&whole[..length], &place()).is_err(), "cut at {length}");
    }
}

proptest! {
    #[test]
    fn arbitrary_and_mutated_bytes_never_panic(
        noise in prop::collection::vec(any::<u8>(), 0..200),
        program in prop::collection::vec(prop::sample::select(&b"()]}tN\x85\x86\x87\x88Kqh\x81Rbaeu."[..]), 0..60),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut mutated = csr_sample();
        for (at, byte) in changes {
            let at = at.index(mutated.len());
            mutated[at] = byte;
        }
        for bytes in [noise, program, mutated] {
            if let Ok(parsed) = Pickle::parse(&bytes, &place()) {
                let _ = (parsed.array(), parsed.matrix(), parsed.integer_lists());
            }
        }
    }
}
