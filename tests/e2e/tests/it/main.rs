//! The page used as a person would use it; each module is one thing they come for.

mod access;
mod closed;
mod compare;
mod edit;
mod editor;
mod explorer;
mod files;
mod inspect;
mod keyboard;
mod links;
mod load;
mod look;
mod own;
mod panels;
mod tables;
mod timeline;
mod touch;
