#![doc = include_str!("../README.md")]

mod entry;
mod error;
mod frontmatter;
mod load;
mod verify;
mod yaml;

pub use entry::{MAX_BYTES, MAX_FILES, check};
pub use error::{Error, Mismatch, Result};
pub use load::{LoadedSkill, get, list, load};
pub use verify::{verify_file, verify_skill_md};
