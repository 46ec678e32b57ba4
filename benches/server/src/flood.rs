use std::io::Write as _;

/// What a server sends that nobody asked for, before it answers one call.
pub(crate) struct Flood {
    id: String,
    token: Option<String>,
    sent: u64,
    count: u64,
}

/// How many messages are written at once.
const PART: u64 = 64;

impl Flood {
    pub(crate) fn new(id: String, token: Option<String>, count: u64) -> Self {
        Self { id, token, sent: 0, count }
    }

    /// Appends the next messages; whether the flood is over.
    pub(crate) fn append(&mut self, out: &mut Vec<u8>) -> bool {
        let until = (self.sent + PART).min(self.count);
        while self.sent < until {
            self.sent += 1;
            self.message(out).expect("writing to memory");
        }
        let over = self.sent == self.count;
        if over {
            let id = &self.id;
            writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"done"}}]}}}}"#
            )
            .expect("writing to memory");
        }
        over
    }

    fn message(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        let (sent, text) = (self.sent, "flood ".repeat(150));
        match (sent % 4, &self.token) {
            (0, Some(token)) => writeln!(
                out,
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{sent},"message":"{text}"}}}}"#
            ),
            (1, _) => writeln!(
                out,
                r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{{"text":"{text}"}}}}}}"#
            ),
            (2, _) => writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":"flood {sent}","method":"ping","params":{{"_meta":{{"text":"{text}"}}}}}}"#
            ),
            _ => writeln!(
                out,
                r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{text}"}}}}"#
            ),
        }
    }
}
