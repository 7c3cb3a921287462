//! `golden/timer-wheel`: into which bucket a timer goes and when that expires.

use idlescope::tick::{Hz, timer_wheel};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Claim, Difference, File};

#[derive(Deserialize)]
struct Header {
    hz: u32,
}

fn replay(file: &File) -> Result<usize, Difference> {
    let hz = Hz::new(file.header::<Header>().hz).unwrap();
    let mut lines = 0;
    for (number, expected) in file.rows::<Value>() {
        let clock = expected["clk"].as_u64().unwrap();
        let expires = expected["expires"].as_u64().unwrap();
        let bucket = timer_wheel::bucket(hz, clock, expires);
        let found = json!({
            "clk": clock, "expires": expires, "level": bucket.level, "bucket": bucket.index,
            "bucket_expiry": bucket.expires,
        });
        Difference::check_object(number, "row", &expected, &found)?;
        lines += 1;
    }
    Ok(lines)
}

pub fn claims() -> Vec<Claim> {
    vec![Claim {
        folder: "timer-wheel/v7.2".to_owned(),
        by: "tick::timer_wheel".to_owned(),
        replay: Box::new(replay),
    }]
}
