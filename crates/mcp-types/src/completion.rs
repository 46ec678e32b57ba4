use crate::{List, Map, Meta, ResultType};

requests! {
    /// Asks how an argument of a prompt or of a resource template may go on.
    ///
    /// Section: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
    CompleteRequest = "completion/complete" (CompleteRequestParams) -> CompleteResult;
}

object! {
    /// Parameters of `completion/complete`.
    pub struct CompleteRequestParams [for servers] {
        /// What the argument belongs to.
        reference as "ref": CompletionReference,
        /// The argument, as far as it is written.
        argument: CompletionArgument,
        /// What is known besides.
        context? with_context: CompletionContext [since V2025_06_18],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

tagged_union! {
    /// What an argument belongs to.
    pub enum CompletionReference [for servers] by "type" {
        /// A prompt.
        Prompt(PromptReference) = "ref/prompt",
        /// A resource template, or a resource.
        Resource(ResourceTemplateReference) = "ref/resource",
    }
}

object! {
    /// Names a prompt.
    #[derive(Eq)]
    pub struct PromptReference [for servers] tagged "type" = "ref/prompt" {
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title? with_title: String [since V2025_06_18],
    }
}

object! {
    /// Names a resource template. Called `ResourceReference` until 2025-03-26.
    #[derive(Eq)]
    pub struct ResourceTemplateReference [for servers] tagged "type" = "ref/resource" {
        /// The URI, or the template of it in RFC 6570.
        uri: String,
    }
}

object! {
    /// An argument, as far as it is written.
    #[derive(Eq)]
    pub struct CompletionArgument [for servers] {
        /// The name.
        name: String,
        /// What is written so far.
        value: String,
    }
}

object! {
    /// What is known when a completion is asked for.
    #[derive(Default, Eq)]
    pub struct CompletionContext [for servers since V2025_06_18] {
        /// Arguments that are already settled.
        arguments? with_arguments: Map<String>,
    }
}

object! {
    /// How the argument may go on.
    pub struct CompleteResult {
        /// The proposals.
        completion: Completion,
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Proposals for an argument.
    pub struct Completion {
        /// The values, best first; the specification allows 100. Text of the peer: untrusted.
        values: List<String>,
        /// How many there are in all. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        total? with_total: u64,
        /// Whether there are more. Absent means not known.
        has_more? with_has_more: bool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_apart_and_unknown_ones_kept() {
        for text in [
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#,
            r#"{"ref":{"type":"ref/resource","uri":"f:/{x}"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"z":"1","b":"2"}}}"#,
            r#"{"ref":{"type":"ref/tool","name":"t"},"argument":{"name":"a","value":"v"}}"#,
        ] {
            let params: CompleteRequestParams = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&params).unwrap(), text);
        }
        let made = CompleteRequestParams::new(PromptReference::new("p"), CompletionArgument::new("a", ""));
        assert_eq!(made.reference.kind(), "ref/prompt");
    }

    #[test]
    fn an_absurd_total_reads_as_absent() {
        let text = r#"{"completion":{"values":["a"],"total":-1,"hasMore":null}}"#;
        let result: CompleteResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.completion, Completion::new(["a".to_owned()]));
    }
}
