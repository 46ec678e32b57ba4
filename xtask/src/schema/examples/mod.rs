//! The official examples, and variations of them, sent through the types of mcp-types and back.

mod agree;
mod route;
mod variation;
mod view;

use std::{collections::BTreeSet, fmt};

use super::{
    document::Document,
    finding::{Finding, Rule},
    inventory::Inventory,
    json::Json,
    rust_type::RustType,
    spec::Example,
};
use crate::command::Failure;
use route::Route;

/// A value on its way.
struct Trip<'a> {
    example: &'a Example,
    variation: &'static str,
    ty: RustType,
    command: String,
    given: Json,
}

/// What came of all trips.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) findings: Vec<Finding>,
    definitions: usize,
    examples: usize,
    trips: usize,
}

/// Sends every example and its variations through `round_trip`, which takes lines of a command, a tab and JSON, and answers
/// each with `ok` or `error`, a tab, and the JSON that came back or the reason.
///
/// # Errors
/// That of `round_trip`, or an answer that cannot be understood.
pub(super) fn check(
    inventory: &Inventory,
    document: &Document,
    examples: &[Example],
    round_trip: impl FnOnce(&str) -> Result<String, Failure>,
) -> Result<Outcome, Failure> {
    let mut inventory = inventory.clone();
    let mut findings = Vec::new();
    let mut trips = Vec::new();
    for example in examples {
        match route::route(&inventory, document, &example.definition, &example.json) {
            Ok(route) => {
                inventory.types.extend(route.types.iter().map(|info| (info.name.clone(), info.clone())));
                trips.extend(trips_of(&inventory, example, &route));
            }
            Err(why) => findings.push(finding(document, example, "cannot be sent through a type", &why)),
        }
    }
    let lines: Vec<_> = trips.iter().map(|trip| format!("{}\t{}\n", trip.command, trip.given)).collect();
    let answers = round_trip(&lines.concat())?;
    let answers: Vec<_> = answers.lines().collect();
    if answers.len() != trips.len() {
        return Err(Failure::failed(format!(
            "{} values were sent and {} came back",
            trips.len(),
            answers.len()
        )));
    }
    for (trip, answer) in trips.iter().zip(answers) {
        if let Err(why) = arrived(&inventory, trip, answer) {
            findings.push(finding(document, trip.example, trip.variation, &why));
        }
    }
    let definitions: BTreeSet<_> = examples.iter().map(|example| &example.definition).collect();
    Ok(Outcome { findings, definitions: definitions.len(), examples: examples.len(), trips: trips.len() })
}

/// The example as it is, and each variation that changes it.
fn trips_of<'a>(inventory: &Inventory, example: &'a Example, route: &Route) -> Vec<Trip<'a>> {
    let all = variation::ALL.iter().enumerate();
    all.map(|(index, variation)| {
        (index, variation.name, variation.apply(inventory, &example.json, &route.ty))
    })
    .filter(|(index, _, given)| *index == 0 || *given != example.json)
    .map(|(_, variation, given)| Trip {
        example,
        variation,
        ty: route.ty.clone(),
        command: route.command.clone(),
        given,
    })
    .collect()
}

fn arrived(inventory: &Inventory, trip: &Trip<'_>, answer: &str) -> Result<(), String> {
    let back = match answer.split_once('\t') {
        Some(("ok", back)) => Json::parse(back)?,
        Some((_, why)) => return Err(format!("refused, {why}: {}", trip.given)),
        None => return Err(format!("the answer is `{answer}`")),
    };
    let lost = agree::agree(inventory, &trip.given, &back, &trip.ty)?;
    // Structs may lose what this program put in; what an official example has must have a place.
    let lost = lost
        .iter()
        .find(|path| !path.rsplit('.').next().is_some_and(|name| name.starts_with(variation::UNKNOWN)));
    lost.map_or(Ok(()), |path| Err(format!("{path}: is lost")))
}

fn finding(document: &Document, example: &Example, variation: &str, why: &str) -> Finding {
    let place = format!("{}/{}", example.definition, example.file);
    let problem = format!("{variation}: {why}");
    Finding::new(document.revision, place, Rule::Example, problem, "correct the type, or a waiver")
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { definitions, examples, trips, findings } = self;
        let failed = findings.len();
        write!(
            f,
            "{examples} official examples of {definitions} definitions: {trips} round trips with variations, "
        )?;
        write!(f, "{failed} not as given")
    }
}
