//! The library compiled for the browser and run there: `cargo xtask test wasm`.
//!
//! The same code runs natively under `cargo test`; what can differ here is the width of `usize`.
#![cfg(target_family = "wasm")]

use idlescope::units::{Energy, Microwatts, Ns};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn a_year_at_five_watts_is_exact_where_usize_has_32_bits() {
    assert_eq!(usize::BITS, 32);
    let year = Ns::from_ms(365 * 86_400_000);
    assert_eq!(
        Microwatts::new(5_000_000) * year,
        Energy::from_fj(157_680_000_000_000_000_000_000)
    );
}
