//! What drives the protocol core: one loop that reads, one that writes, a task for each call that takes time.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Waker},
    time::{Duration, Instant},
};

use bytes::Bytes;
use mcp_protocol::{
    Connection,
    connection::{
        Binding, CallId, CancelMode, Deadlines, Event, Origin, Outcome, Outgoing, OutgoingCall, Output,
        ServeId,
    },
};
use mcp_transport::{
    BoxReceiver, BoxSender, Inbound, Link, LinkParts, Outbound, Receiver, Sender, TransportError,
};
use mcp_types::{
    DiscoverRequest, Era, InitializeRequest, JsonRpcError, Request, RequestId,
    jsonrpc::{JsonRpcMessage, MethodName},
};
use tokio::{
    sync::{Notify, oneshot},
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use super::{
    Demo, Discover,
    caller::Caller,
    counter::{self, Counter},
    era::{self, SharedSession},
    methods::{self, Params},
};

/// How long replies that wait to be sent hold up the end.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

/// Nothing more is read while more bytes than these wait to be sent: the limit of the core on replies is never reached.
const MAX_QUEUED_BYTES: usize = 64 * 1024;

/// What a server has around it.
#[derive(Default)]
pub(super) struct Surroundings {
    /// Opened by `initialize`; over HTTP, by that of another server.
    pub(super) session: SharedSession,
    pub(super) counter: Counter,
    /// Others serve the same clients: it tells nothing beside its requests.
    pub(super) one_of_many: bool,
    /// Ends the connection to the client; `None` where that would end more.
    pub(super) hang_up: Option<Box<dyn Fn() + Send + Sync>>,
}

/// Serves one client over `link`.
pub(super) async fn run(demo: Demo, around: Surroundings, link: Link) -> Result<(), TransportError> {
    let LinkParts { sender, receiver, closer, .. } = link.into_parts();
    let server = Arc::new(Server::new(demo, around));
    let mut tasks = JoinSet::new();
    let mut write = pin!(server.write(sender));
    let read = tokio::select! {
        end = server.read(receiver, &mut tasks) => end,
        end = &mut write => return end,
        () = server.tell_of_changes(), if !server.around.one_of_many => Ok(()),
    };
    tasks.shutdown().await;
    server.close();
    let written = timeout(FLUSH_LIMIT, write).await;
    if let Some(closer) = closer {
        closer.close().await?;
    }
    read.and(written.unwrap_or(Ok(())))
}

/// One connection, as its loops and its calls see it.
pub(super) struct Server {
    pub(super) demo: Demo,
    pub(super) around: Surroundings,
    state: Mutex<State>,
    outbox_filled: Notify,
    outbox_emptied: Notify,
}

struct State {
    core: Connection<(), ()>,
    /// The requests that are worked on, with their tasks once they have one.
    serving: HashMap<ServeId, Option<AbortHandle>>,
    /// Requests of ours to the client.
    asked: HashMap<CallId, oneshot::Sender<Outcome<()>>>,
    closing: bool,
}

impl Server {
    fn new(demo: Demo, around: Surroundings) -> Self {
        let mut core = Connection::new(Binding::Pipe);
        if let Some(revision) = around.session.revision() {
            core.settle(revision);
        } else if let (Some(modern), None) = (demo.newest(Era::Modern), demo.newest(Era::Legacy)) {
            core.settle(modern);
        }
        let state = State { core, serving: HashMap::new(), asked: HashMap::new(), closing: false };
        Self {
            demo,
            around,
            state: Mutex::new(state),
            outbox_filled: Notify::new(),
            outbox_emptied: Notify::new(),
        }
    }

    /// Reads until the client ends its direction.
    async fn read(
        self: &Arc<Self>,
        mut receiver: BoxReceiver,
        tasks: &mut JoinSet<()>,
    ) -> Result<(), TransportError> {
        let mut inbound = Vec::new();
        loop {
            let more = receiver.recv(&mut inbound).await;
            for entry in inbound.drain(..) {
                match entry {
                    Inbound::Message { message, .. } => self.take(message, tasks),
                    Inbound::Batch { messages, .. } => self.take_batch(messages, tasks),
                    _ => {}
                }
                self.room().await;
            }
            while let Some(ended) = tasks.try_join_next() {
                if let Err(error) = ended
                    && error.is_panic()
                {
                    std::panic::resume_unwind(error.into_panic());
                }
            }
            if !more? {
                return Ok(());
            }
        }
    }

    /// Sends what is queued, as much at once as there is, until [`Self::close`].
    async fn write(&self, mut sender: BoxSender) -> Result<(), TransportError> {
        let mut taken = VecDeque::new();
        let mut batch = VecDeque::new();
        loop {
            let closing = {
                let mut state = self.lock();
                state.core.take_outbox(&mut taken);
                state.closing
            };
            self.outbox_emptied.notify_one();
            if taken.is_empty() && !closing {
                self.outbox_filled.notified().await;
                continue;
            }
            batch.extend(taken.drain(..).map(|entry| match entry {
                Outgoing::Message(message) => Outbound::from(message),
                Outgoing::Settled(revision) => Outbound::Settled(revision),
                Outgoing::Abandon(id) => Outbound::Abandon(id.into()),
            }));
            if closing {
                batch.push_back(Outbound::Close);
            }
            sender.send(&mut batch).await?;
            if closing {
                return Ok(());
            }
        }
    }

    fn close(&self) {
        self.lock().closing = true;
        self.outbox_filled.notify_one();
    }

    /// Waits while the client does not take what it asked for.
    async fn room(&self) {
        while self.lock().core.outbox_bytes() > MAX_QUEUED_BYTES {
            self.outbox_emptied.notified().await;
        }
    }

    fn take(self: &Arc<Self>, message: JsonRpcMessage<Bytes>, tasks: &mut JoinSet<()>) {
        self.drive(tasks, |state| {
            if let JsonRpcMessage::Request(request) = &message
                && state.core.revision().is_none()
                && Params::new(request.params.clone()).claims_modern()
                && let Some(revision) = self.demo.newest(Era::Modern)
            {
                // Else the core would answer a modern `ping`, which does not exist.
                state.core.settle(revision);
            }
            state.core.receive(now(), Origin::Shared, message);
        });
    }

    fn take_batch(self: &Arc<Self>, messages: Vec<JsonRpcMessage<Bytes>>, tasks: &mut JoinSet<()>) {
        self.drive(tasks, |state| state.core.receive_batch(now(), Origin::Shared, messages));
    }

    /// Gives the core an input, and does what it says.
    fn drive(self: &Arc<Self>, tasks: &mut JoinSet<()>, input: impl FnOnce(&mut State)) {
        let mut outputs = Vec::new();
        {
            let mut state = self.lock();
            input(&mut state);
            while let Some(output) = state.core.poll_output() {
                outputs.push(output);
            }
        }
        for output in outputs {
            match output {
                Output::Event(Event::Request { id, request_id, method, params, .. }) => {
                    self.serve(id, request_id, method, Params::new(params), tasks);
                }
                Output::Event(Event::RequestCancelled { id }) => {
                    if let Some(Some(task)) = self.lock().serving.remove(&id) {
                        task.abort();
                    }
                }
                Output::Finished { id, outcome, .. } => {
                    if let Some(waiting) = self.lock().asked.remove(&id) {
                        // Whoever asked may be gone.
                        let _ = waiting.send(outcome);
                    }
                }
                _ => {}
            }
        }
        self.outbox_filled.notify_one();
    }

    fn serve(
        self: &Arc<Self>,
        id: ServeId,
        request_id: RequestId,
        method: MethodName,
        params: Params,
        tasks: &mut JoinSet<()>,
    ) {
        if method == DiscoverRequest::METHOD {
            match self.demo.discover {
                Discover::Answered => {}
                Discover::Refused(code) => {
                    return self.respond(id, Err(JsonRpcError::new(code, "Refused, as it was asked to")));
                }
                Discover::Ignored => return self.lock().core.disregard(id),
            }
        }
        if method == InitializeRequest::METHOD && !params.claims_modern() {
            return self.respond(id, self.initialize(&params));
        }
        let terms = match era::admit(&self.demo, &self.around.session, &method, &params) {
            Ok(terms) => terms,
            Err(error) => return self.respond(id, Err(error)),
        };
        self.lock().serving.insert(id, None);
        let caller = Caller::new(Arc::clone(self), id, request_id, terms);
        let server = Arc::clone(self);
        let mut work = Box::pin(async move {
            let outcome = methods::answer(&caller, &method, params).await;
            server.respond(id, outcome);
        });
        // Nearly every answer is there at once, and then needs no task.
        if work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            // Under the lock, so that the task cannot end before it is known.
            let mut state = self.lock();
            let task = tasks.spawn(work);
            state.serving.insert(id, Some(task));
        }
    }

    fn initialize(&self, params: &Params) -> Result<Bytes, JsonRpcError> {
        let (session, result) = era::initialize(&self.demo, params)?;
        self.lock().core.settle(session.revision);
        self.around.session.open(session);
        Ok(methods::encode(&result))
    }

    fn respond(&self, id: ServeId, outcome: Result<Bytes, JsonRpcError>) {
        {
            let mut state = self.lock();
            state.serving.remove(&id);
            state.core.respond(id, outcome);
        }
        self.outbox_filled.notify_one();
    }

    /// Sends a notification that belongs to the request `id`, unless that is over.
    pub(super) fn notify(&self, id: ServeId, method: &'static str, params: Bytes) {
        {
            let mut state = self.lock();
            if !state.serving.contains_key(&id) {
                return;
            }
            state.core.notify(method, Some(params));
        }
        self.outbox_filled.notify_one();
    }

    /// Tells a session of the legacy era what changes, if it wants to hear of it. Never ends.
    async fn tell_of_changes(&self) {
        let mut changes = self.around.counter.changes();
        loop {
            changes.next().await;
            if self.around.session.watches_counter() {
                self.lock().core.notify(counter::UPDATED, Some(counter::updated(None)));
                self.outbox_filled.notify_one();
            }
        }
    }

    /// Asks the client. `None` when it will never answer. Dropped, it tells the client that nobody waits any more.
    pub(super) async fn ask(&self, method: &'static str, params: Bytes) -> Option<Outcome<()>> {
        struct Asked<'a>(&'a Server, CallId);
        impl Drop for Asked<'_> {
            fn drop(&mut self) {
                let mut state = self.0.lock();
                state.asked.remove(&self.1);
                state.core.cancel(self.1, Some("the call that it was asked for is over"));
                drop(state);
                self.0.outbox_filled.notify_one();
            }
        }
        let call = OutgoingCall {
            method: method.into(),
            params: Some(params),
            progress_token: None,
            // A person answers.
            deadlines: Deadlines::default(),
            cancel: CancelMode::Notify,
            continues: false,
            exempt: true,
        };
        let (sender, answer) = oneshot::channel();
        let asked = {
            let mut state = self.lock();
            let started = state.core.call(now(), call, ()).ok()?;
            state.asked.insert(started.id, sender);
            Asked(self, started.id)
        };
        self.outbox_filled.notify_one();
        let outcome = answer.await.ok();
        drop(asked);
        outcome
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock of tokio, which tests can stop.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
