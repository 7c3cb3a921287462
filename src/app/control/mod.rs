//! Small controls that every panel uses: buttons, segmented switches, menus, number fields,
//! dialogs. They know nothing of the page's state.

mod button;
mod dialog;
mod menu;
mod middle_cut;
mod number_field;
mod segments;
mod toast;

pub use button::{Button, IconButton, Look};
pub use dialog::Dialog;
pub use menu::Menu;
pub use middle_cut::MiddleCut;
pub use number_field::NumberField;
pub use segments::{Choice, Segments};
pub use toast::Toast;
