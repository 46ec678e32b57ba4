use std::io;

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::tcp::OwnedWriteHalf,
    sync::{mpsc, oneshot, watch},
};

use super::{HttpExchange, exchange, request};

/// The writing half of a connection, while an exchange has it.
pub(super) struct Answering {
    writer: Writer,
    finished: oneshot::Sender<Writer>,
    gone: watch::Receiver<bool>,
}

pub(super) enum Writer {
    Tcp(OwnedWriteHalf),
    #[cfg(feature = "tls")]
    Tls(Box<dyn tokio::io::AsyncWrite + Send + Sync + Unpin>),
}

impl Answering {
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.writer {
            Writer::Tcp(writer) => writer.write_all(bytes).await,
            #[cfg(feature = "tls")]
            Writer::Tls(writer) => {
                writer.write_all(bytes).await?;
                writer.flush().await
            }
        }
    }

    pub(super) fn finish(self) {
        // Its connection is gone: nothing is left to be used.
        let _ = self.finished.send(self.writer);
    }

    pub(super) fn reset(self) {
        match self.writer {
            Writer::Tcp(writer) => {
                // Zero lingering means a reset.
                #[expect(deprecated, reason = "the time is zero, so that no drop waits")]
                let _ = writer.as_ref().set_linger(Some(std::time::Duration::ZERO));
            }
            #[cfg(feature = "tls")]
            Writer::Tls(_) => {}
        }
    }

    pub(super) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    pub(super) async fn gone(&mut self) {
        // Without its connection, the client is gone too.
        let _ = self.gone.wait_for(|gone| *gone).await;
    }
}

pub(super) fn head(status: u16, fields: &[(&str, &str)], last: (&str, &str)) -> String {
    let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
    for (name, value) in fields.iter().copied().chain([last]) {
        for part in [name, ": ", value, "\r\n"] {
            head.push_str(part);
        }
    }
    head.push_str("\r\n");
    head
}

/// Reads requests one after the other, until one is not answered in order or the client closes.
pub(super) async fn serve(
    mut reader: impl AsyncRead + Unpin,
    mut writer: Writer,
    to: mpsc::UnboundedSender<HttpExchange>,
) {
    let mut buffer = Vec::new();
    while let Ok(Some(request)) = request::read(&mut reader, &mut buffer).await {
        let (finished, mut returned) = oneshot::channel();
        let (gone, seen) = watch::channel(false);
        let answering = exchange::Answering::Http1(Answering { writer, finished, gone: seen });
        if to.send(HttpExchange::new(request, answering)).is_err() {
            return;
        }
        loop {
            tokio::select! {
                back = &mut returned => match back {
                    Ok(back) => {
                        writer = back;
                        break;
                    }
                    Err(_) => return,
                },
                read = reader.read_buf(&mut buffer), if !*gone.borrow() => {
                    if !matches!(read, Ok(1..)) {
                        gone.send_replace(true);
                    }
                }
            }
        }
        if *gone.borrow() {
            return;
        }
    }
}
