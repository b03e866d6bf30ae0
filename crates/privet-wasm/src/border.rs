//! The border to the page: the one place with `unsafe`, for memory that the page writes and functions that the page brings.
#![cfg(target_arch = "wasm32")]
#![expect(
    unsafe_code,
    reason = "what a page imports and exports is outside of what Rust can check"
)]

use crate::{PageStorage, answer};

#[link(wasm_import_module = "privet")]
unsafe extern "C" {
    fn random(place: *mut u8, length: usize) -> u32;
    fn keep(name: *const u8, name_length: usize, line: *const u8, line_length: usize) -> u32;
    fn put(name: *const u8, name_length: usize, bytes: *const u8, length: usize) -> u32;
}

/// What the page brings.
struct BrowserPage;

impl PageStorage for BrowserPage {
    fn keep(&self, account: &str, line: &str) -> bool {
        // SAFETY: the page reads these bytes while they are borrowed, and nothing else.
        unsafe { keep(account.as_ptr(), account.len(), line.as_ptr(), line.len()) == 1 }
    }

    fn put(&self, task: &str, report: &[u8]) -> bool {
        // SAFETY: as above.
        unsafe { put(task.as_ptr(), task.len(), report.as_ptr(), report.len()) == 1 }
    }
}

fn from_page(key: &mut [u8]) -> bool {
    // SAFETY: the page writes as many bytes as the argument says, all of them within this slice.
    unsafe { random(key.as_mut_ptr(), key.len()) == 1 }
}

/// Room for a question of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Takes room back that was handed out.
///
/// # Safety
/// The place and the length are those of [`room`] or [`ask`], and come once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn give_back(place: *mut u8, length: usize) {
    // SAFETY: by the contract above, this is a boxed slice that was leaked.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(place, length)) });
}

/// Answers a question, whose room is taken back: where the answer is, and how long.
///
/// # Safety
/// The place and the length are those of [`room`], filled in, and come once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ask(place: *mut u8, length: usize) -> u64 {
    privet_privacy::noise::entropy_from(from_page);
    // SAFETY: by the contract above, this is a boxed slice that was leaked.
    let question = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(place, length)) };
    let reply = answer(&question, &BrowserPage).into_bytes().into_boxed_slice();
    let reply = Box::leak(reply);
    ((reply.as_ptr() as u64) << 32) | reply.len() as u64
}
