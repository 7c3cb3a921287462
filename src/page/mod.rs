//! LAYER 7: the page without a browser.
