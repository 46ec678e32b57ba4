//! Compiles the programs of the workspace's README. The examples are files of their own beside this one.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
