//! Every type of mcp-types. The first two bytes choose it, the rest is JSON.
//!
//! - Reading never panics.
//! - What can be read can be written, and reads again as an equal value, less the elements of lists that were rejected.
//! - Writing is stable: what was written once is written the same the next time.

use std::sync::LazyLock;

use mcp_types::{
    Cursor, InputRequest, Json, JsonObject, JsonSchema, List, Map, Number, ProgressToken, ProtocolVersion,
    RequestId,
    extensions::skills::{SkillFrontmatter, SkillResources},
    inventory::{self, Codec},
};

use crate::{
    Target,
    generate::{Random, Schemas},
};

/// The target.
pub const TARGET: Target = Target { name: "types", run, generate, inputs: 400_000 };

static CODECS: LazyLock<Vec<Codec>> = LazyLock::new(|| {
    let mut codecs = inventory::codecs();
    codecs.extend([
        Codec::of::<Cursor>(),
        Codec::of::<Json>(),
        Codec::of::<JsonObject>(),
        Codec::of::<JsonSchema>(),
        Codec::of::<List<Json>>(),
        Codec::of::<Map<InputRequest>>(),
        Codec::of::<Number>(),
        Codec::of::<ProgressToken>(),
        Codec::of::<ProtocolVersion>(),
        Codec::of::<RequestId>(),
        Codec::of::<SkillFrontmatter>(),
        Codec::of::<SkillResources>(),
    ]);
    codecs
});

fn run(data: &[u8]) {
    let Some((choice, text)) = data.split_first_chunk() else { return };
    let codec = &CODECS[usize::from(u16::from_le_bytes(*choice)) % CODECS.len()];
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(once) = (codec.round_trip)(text) else { return };
    let name = codec.path;
    let twice = (codec.round_trip)(&once).unwrap_or_else(|error| panic!("{name} became {once}: {error}"));
    assert_eq!(once, twice, "{name} is not written stably");
    if !(codec.equal)(text, &once).expect("both can be read") {
        let (before, after) = ((codec.debug)(text), (codec.debug)(&once));
        let (before, after) = (before.expect("it can be read"), after.expect("it can be read"));
        assert!(before.contains("Rejected {"), "{name} lost something: {before}\nbecame: {after}");
        assert!(!after.contains("Rejected {"), "{name} keeps what cannot be read: {after}");
    }
}

fn generate(random: &mut Random) -> Vec<u8> {
    let choice = random.below(CODECS.len());
    let types = inventory::types();
    let mut schemas = Schemas::new(random);
    let json = match types.get(choice) {
        Some(info) => schemas.value(info),
        None => schemas.kind(generic_name(CODECS[choice].path)),
    };
    let mut data = u16::try_from(choice).expect("less than 65,536 types").to_le_bytes().to_vec();
    data.extend(json.twisted(random));
    data
}

/// `a::b::Map<a::c::D>` becomes `Map<a::c::D>`.
fn generic_name(path: &str) -> &str {
    let end = path.find('<').unwrap_or(path.len());
    path[..end].rfind("::").map_or(path, |at| &path[at + 2..])
}
