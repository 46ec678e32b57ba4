//! The few shapes that the types of the schema have, each written once.

#[macro_use]
mod text;
#[macro_use]
mod object;
#[macro_use]
mod open_object;
#[macro_use]
mod open_enum;
#[macro_use]
mod tagged_union;
#[macro_use]
mod methods;
