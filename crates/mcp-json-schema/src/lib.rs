#![doc = include_str!("../README.md")]

mod problem;
mod work;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use jsonschema::PatternOptions;
use mcp_types::{Json, JsonSchema};
use serde_json::Value;

pub use problem::Problem;

use work::Graph;

/// Limits of a [`Validator`].
pub mod limits {
    /// The longest schema, in bytes of JSON.
    pub const SCHEMA: usize = 256 << 10;
    /// Compiled schemas that are kept; and the bytes of their texts.
    pub const KEPT: (usize, usize) = (256, 4 << 20);
    /// Steps of one check whose schema has references, each a schema applied to a value; or twenty for each value, if that
    /// is more.
    pub const STEPS: u64 = 2_000_000;
    /// Steps of a pattern with look-around on one text. Other patterns take time in proportion to the text.
    pub const PATTERN_STEPS: usize = 100_000;
    /// The longest value of which is said where it does not fit, in bytes of JSON.
    pub const EXPLAINED: usize = 256 << 10;
}

/// Validates values against schemas that a server wrote. Cheap to clone; clones share the compiled schemas.
#[derive(Clone, Default)]
pub struct Validator(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    schemas: HashMap<Box<str>, Arc<Compiled>>,
    bytes: usize,
}

struct Compiled {
    validator: jsonschema::Validator,
    /// Present when the schema has references, so that the work of a check is not bounded by its sizes.
    graph: Option<Graph>,
}

impl Validator {
    /// Validates `value`, in time and memory that neither the schema nor the value can blow up.
    ///
    /// Nothing is fetched: a reference to elsewhere makes the schema unusable. Numbers beyond 64 bits are compared as
    /// floating-point numbers. `format` is an annotation, as the dialects since 2019-09 have it.
    ///
    /// # Errors
    /// When the value does not fit, or the schema cannot be used.
    pub fn check(&self, schema: &JsonSchema, value: &Json) -> Result<(), Problem> {
        let compiled = self.compiled(schema)?;
        let instance: Value = value.decode().map_err(|error| Problem::unfit("", error))?;
        let mut explained = value.as_str().len() <= limits::EXPLAINED;
        if let Some(graph) = &compiled.graph {
            let steps = graph.steps(&instance).ok_or(Problem::TooMuchWork)?;
            explained &= steps < limits::STEPS / 100;
        }
        if compiled.validator.is_valid(&instance) {
            return Ok(());
        }
        if !explained {
            return Err(Problem::unfit("", "the value is too large to say where"));
        }
        match compiled.validator.validate(&instance) {
            Ok(()) => Ok(()),
            Err(error) => Err(Problem::unfit(error.instance_path().as_str(), error.masked())),
        }
    }

    fn compiled(&self, schema: &JsonSchema) -> Result<Arc<Compiled>, Problem> {
        let text = schema.as_json().as_str();
        if let Some(compiled) = self.lock().schemas.get(text) {
            return Ok(Arc::clone(compiled));
        }
        let compiled = Arc::new(compile(schema)?);
        let mut kept = self.lock();
        if kept.schemas.len() >= limits::KEPT.0 || kept.bytes + text.len() > limits::KEPT.1 {
            *kept = Kept::default();
        }
        if kept.schemas.insert(text.into(), Arc::clone(&compiled)).is_none() {
            kept.bytes += text.len();
        }
        Ok(compiled)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("kept", &self.lock().schemas.len()).finish()
    }
}

fn compile(schema: &JsonSchema) -> Result<Compiled, Problem> {
    let text = schema.as_json().as_str();
    if text.len() > limits::SCHEMA {
        return Err(Problem::unusable(format!("it has more than {} bytes", limits::SCHEMA)));
    }
    if let Some(dialect) = schema.dialect().filter(|dialect| !is_known_dialect(dialect)) {
        return Err(Problem::UnsupportedDialect(problem::excerpt(&dialect)));
    }
    let json: Value = schema.decode().map_err(Problem::unusable)?;
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(limits::PATTERN_STEPS)
        .size_limit(1 << 20)
        .dfa_size_limit(1 << 20);
    let validator = jsonschema::options()
        .offline()
        .with_pattern_options(patterns)
        .should_validate_formats(false)
        .build(&json)
        .map_err(|error| Problem::unusable(error.masked()))?;
    Ok(Compiled { validator, graph: Graph::of(&json)? })
}

/// Without the empty fragment that older dialects write.
fn is_known_dialect(uri: &str) -> bool {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let uri = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://")).unwrap_or(uri);
    matches!(
        uri,
        "json-schema.org/draft-04/schema"
            | "json-schema.org/draft-06/schema"
            | "json-schema.org/draft-07/schema"
            | "json-schema.org/draft/2019-09/schema"
            | "json-schema.org/draft/2020-12/schema"
    )
}
