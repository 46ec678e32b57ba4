//! Methods that the specification does not have: a request and a notification of your own, typed on both sides.
//!
//! The server is a script of the test kit, in the same process.
//!
//! ```sh
//! cargo run --example custom_method
//! ```

use std::error::Error;

use mcp_client::Client;
use mcp_testkit::script::{self, Peer};
use mcp_transport::Single;
use mcp_types::{Notification, Request};
use serde::{Deserialize, Serialize};

/// The request: a name, what goes with it, what comes back.
struct Forecast;

impl Request for Forecast {
    const METHOD: &'static str = "com.example/forecast";
    type Params = ForecastParams;
    type Result = ForecastResult;
}

#[derive(Debug, Serialize, Deserialize)]
struct ForecastParams {
    place: String,
    days: u8,
}

#[derive(Debug, Serialize, Deserialize)]
struct ForecastResult {
    celsius: Vec<f64>,
}

/// The notification: a name, and what goes with it.
struct Storm;

impl Notification for Storm {
    const METHOD: &'static str = "notifications/com.example/storm";
    type Params = StormParams;
}

#[derive(Debug, Serialize, Deserialize)]
struct StormParams {
    place: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (link, peer) = script::peer();
    let server = tokio::spawn(serve(peer));

    let client = Client::builder("custom-method", "1.0.0")
        .on_notification::<Storm, _>(|storm, _| async move { println!("a storm in {}", storm.place) })
        .connect(Single::new(link))
        .await?;
    let forecast = client.request::<Forecast>(ForecastParams { place: "Bergen".into(), days: 3 }).await?;
    println!("the next days: {:?} °C", forecast.celsius);
    client.close().await;
    server.await?;
    Ok(())
}

async fn serve(mut peer: Peer) {
    peer.accept_modern("{}").await;
    let request = peer.expect(Forecast::METHOD).await;
    peer.notify(Storm::METHOD, r#"{"place":"Bergen"}"#);
    request.reply(r#"{"resultType":"complete","celsius":[7.5,6,8]}"#);
    peer.expect_end().await;
}
