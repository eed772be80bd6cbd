//! Arbitrary bytes as a table file: every one must end in values or an error.
#![no_main]

use damka::store::fuzzing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = fuzzing::run(data);
});
