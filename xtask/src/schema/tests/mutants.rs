use super::*;
use crate::schema::{inventory::*, rust_type::RustType, spec};
use std::path::Path;
#[test]
fn mutants() {
    let text = std::fs::read_to_string("/tmp/inv.json").unwrap();
    let base = Inventory::parse(&text).unwrap();
    let docs = spec::documents(Path::new("/work/shared/spec/schema")).unwrap();
    let run = |inv: &Inventory| compare(inv, &docs).findings;
    let known: std::collections::BTreeSet<_> = run(&base).into_iter().map(|f| f.to_string()).collect();
    let mut total = 0;
    let mut missed = Vec::new();
    let mut check = |what: String, inv: &Inventory| {
        total += 1;
        let now: std::collections::BTreeSet<_> = run(inv).into_iter().map(|f| f.to_string()).collect();
        if now.difference(&known).next().is_none() {
            missed.push(what);
        }
    };
    for (name, info) in &base.types {
        let with = |shape: TypeShape| {
            let mut inv = base.clone();
            inv.types.get_mut(name).unwrap().shape = shape;
            inv
        };
        let mut inv = base.clone();
        inv.types.remove(name);
        check(format!("{name} removed"), &inv);
        match &info.shape {
            TypeShape::Object { members, open } => {
                for i in 0..members.len() {
                    let mut edit = |what: &str, f: &dyn Fn(&mut Vec<Member>)| {
                        let mut m = members.clone();
                        f(&mut m);
                        check(
                            format!("{name}.{} {what}", members[i].name),
                            &with(TypeShape::Object { members: m, open: *open }),
                        );
                    };
                    edit("removed", &|m| {
                        m.remove(i);
                    });
                    edit("required flipped", &|m| m[i].required = !m[i].required);
                    edit("renamed", &|m| m[i].name.push('x'));
                    if let Some(c) = &members[i].constant {
                        let c = c.clone();
                        edit("constant", &move |m| m[i].constant = Some(format!("{c}x")));
                    } else {
                        for t in [
                            "String",
                            "bool",
                            "u64",
                            "f64",
                            "Json",
                            "JsonObject",
                            "List<String>",
                            "RequestId",
                            "Tool",
                        ] {
                            if members[i].ty.to_string() != t {
                                edit(&format!("{} to {t}", members[i].ty), &move |m| {
                                    m[i].ty = RustType::parse(t).unwrap()
                                });
                            }
                        }
                    }
                }
            }
            TypeShape::Enum(values) => {
                for v in values {
                    let mut n = values.clone();
                    n.remove(v);
                    check(format!("{name}::{v} removed"), &with(TypeShape::Enum(n)));
                }
                let mut n = values.clone();
                n.insert("zzz".into());
                check(format!("{name} more"), &with(TypeShape::Enum(n)));
            }
            TypeShape::Union { key, variants } => {
                for i in 0..variants.len() {
                    let mut n = variants.clone();
                    n.remove(i);
                    check(
                        format!("{name}({}) removed", variants[i].0),
                        &with(TypeShape::Union { key: key.clone(), variants: n }),
                    );
                    let mut n = variants.clone();
                    n[i].1 = RustType::named("Tool");
                    check(
                        format!("{name}({}) to Tool", variants[i].0),
                        &with(TypeShape::Union { key: key.clone(), variants: n }),
                    );
                }
            }
        }
    }
    for (name, m) in &base.markers {
        for t in ["Empty", "Tool", "EmptyResult", "PaginatedRequestParams"] {
            let mut inv = base.clone();
            inv.markers.get_mut(name).unwrap().params = RustType::named(t);
            if m.params.name != t {
                check(format!("{name} params {} to {t}", m.params), &inv);
            }
            if let Some(r) = &m.result {
                let mut inv = base.clone();
                inv.markers.get_mut(name).unwrap().result = Some(RustType::named(t));
                if r.name != t {
                    check(format!("{name} result {r} to {t}"), &inv);
                }
            }
        }
        let mut inv = base.clone();
        inv.markers.remove(name);
        check(format!("{name} removed"), &inv);
    }
    for (name, m) in &base.methods {
        for r in m.directions.keys() {
            let mut inv = base.clone();
            inv.methods.get_mut(name).unwrap().directions.remove(r);
            check(format!("{name} not in {r}"), &inv);
            for d in ["ToServer", "ToClient", "Both"] {
                if m.directions[r] != d {
                    let mut inv = base.clone();
                    inv.methods.get_mut(name).unwrap().directions.insert(*r, d.into());
                    check(format!("{name} {r} {d}"), &inv);
                }
            }
        }
    }
    for name in base.aliases.keys() {
        let mut inv = base.clone();
        inv.aliases.remove(name);
        check(format!("alias {name} removed"), &inv);
    }
    for c in base.codes.keys() {
        let mut inv = base.clone();
        inv.codes.remove(c);
        check(format!("code {c} removed"), &inv);
    }
    println!("{total} mutants, {} missed", missed.len());
    for m in missed {
        println!("MISSED {m}");
    }
}
