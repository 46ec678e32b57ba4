//! Whether a type gave back what it was given.
//!
//! Where a type keeps JSON as it is, the answer must be the same text but for white space: member order and every digit.
//! Objects that are read into structs are compared member by member in any order, and the members that a struct does not
//! know may be gone: they are counted. `null` on an optional member may be gone. Numbers that are read as numbers must be
//! equal in value. Nothing may be there that was not given.

use super::view::{View, site};
use crate::schema::{
    inventory::{Inventory, Member, Shape},
    json::Json,
    rust_type::RustType,
};

/// Compares; answers with the paths of members that a struct did not know and did not keep.
///
/// # Errors
/// Where the two differ.
pub(super) fn agree(
    inventory: &Inventory,
    given: &Json,
    back: &Json,
    ty: &RustType,
) -> Result<Vec<String>, String> {
    let mut agreement = Agreement { inventory, lost: Vec::new() };
    agreement.value(given, back, ty, "")?;
    Ok(agreement.lost)
}

struct Agreement<'a> {
    inventory: &'a Inventory,
    lost: Vec<String>,
}

impl Agreement<'_> {
    fn value(&mut self, given: &Json, back: &Json, ty: &RustType, at: &str) -> Result<(), String> {
        match (site(self.inventory, given, ty).view, given, back) {
            (View::Array(element), Json::Array(given), Json::Array(back)) => {
                if given.len() != back.len() {
                    return Err(format!("{at}: {} elements became {}", given.len(), back.len()));
                }
                for (index, (given, back)) in given.iter().zip(back).enumerate() {
                    self.value(given, back, &element, &format!("{at}[{index}]"))?;
                }
                Ok(())
            }
            (View::Map(value), Json::Object(given), Json::Object(back)) => {
                let names = |members: &[(String, Json)]| -> Vec<String> {
                    members.iter().map(|(name, _)| name.clone()).collect()
                };
                if names(given) != names(back) {
                    return Err(format!("{at}: entries {:?} became {:?}", names(given), names(back)));
                }
                for ((name, given), (_, back)) in given.iter().zip(back) {
                    self.value(given, back, &value, &format!("{at}.{name}"))?;
                }
                Ok(())
            }
            (View::Object { members, open }, Json::Object(_), Json::Object(_)) => {
                self.object(given, back, &members, open, at)
            }
            (View::Number, Json::Number(given), Json::Number(back)) if same_number(given, back) => Ok(()),
            (_, given, back) if given == back => Ok(()),
            _ => Err(format!("{at}: {given} became {back}")),
        }
    }

    fn object(
        &mut self,
        given: &Json,
        back: &Json,
        known: &[Member],
        open: bool,
        at: &str,
    ) -> Result<(), String> {
        for (name, value) in given.members() {
            let at = format!("{at}.{name}");
            let member = known.iter().find(|member| member.name == *name);
            match (member, back.get(name)) {
                (Some(member), Some(Json::Null)) if *value == Json::Null => {
                    let keeps_null =
                        matches!(self.inventory.shape(&member.ty), Some(Shape::Any | Shape::Nullable(_)));
                    if !open && !keeps_null {
                        return Err(format!("{at}: null was kept"));
                    }
                }
                (Some(member), Some(back)) => self.value(value, back, &member.ty, &at)?,
                (Some(member), None) if *value == Json::Null && !member.required => {}
                (Some(_), None) => return Err(format!("{at}: {value} is lost")),
                (None, Some(back)) if back == value => {}
                (None, Some(back)) => return Err(format!("{at}: {value} became {back}")),
                (None, None) if open => return Err(format!("{at}: {value} is lost")),
                (None, None) => self.lost.push(at),
            }
        }
        if let Some((name, value)) = back.members().iter().find(|(name, _)| given.get(name).is_none()) {
            return Err(format!("{at}.{name}: {value} comes from nowhere"));
        }
        let unknown = |json: &Json| -> Vec<String> {
            let names = json.members().iter().map(|(name, _)| name);
            names.filter(|name| known.iter().all(|member| member.name != **name)).cloned().collect()
        };
        if open && unknown(given) != unknown(back) {
            return Err(format!("{at}: the unknown members {:?} became {:?}", unknown(given), unknown(back)));
        }
        Ok(())
    }
}

fn same_number(given: &str, back: &str) -> bool {
    given == back || (given.parse::<f64>().is_ok() && given.parse::<f64>() == back.parse::<f64>())
}
