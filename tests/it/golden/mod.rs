//! tmp
mod idle_loop;
use serde_json::Value;
use std::io::Read;

fn first_difference(path: &str, want: &Value, got: &Value) -> Option<String> {
    match (want, got) {
        (Value::Object(w), Value::Object(_)) => w
            .iter()
            .find_map(|(k, v)| first_difference(&format!("{path}.{k}"), v, &got[k])),
        _ if want == got => None,
        _ => Some(format!("{path}: want {want} got {got}")),
    }
}

#[test]
fn tmp_idle_loop() {
    let root = std::env::var("IDLESCOPE_GOLDEN").unwrap();
    let mut bad = 0;
    for (version, era) in idle_loop::ERAS {
        let mut files: Vec<_> = std::fs::read_dir(format!("{root}/idle-loop/{version}"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let mut text = String::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&file).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            let mut lines = text.lines();
            let header: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            let rows = idle_loop::rows(era, &header);
            let want: Vec<Value> = lines.map(|l| serde_json::from_str(l).unwrap()).collect();
            let diff = want.iter().enumerate().find_map(|(n, w)| match rows.get(n) {
                None => Some(format!("line {} missing: {w}", n + 2)),
                Some((g, _)) => first_difference("", w, g)
                    .map(|d| format!("line {} {d}\n   want {w}\n   got  {g}", n + 2)),
            });
            match diff {
                Some(d) => {
                    bad += 1;
                    println!("{} {d}", file.display());
                }
                None if rows.len() != want.len() => {
                    bad += 1;
                    println!("{} {} rows too many", file.display(), rows.len() - want.len());
                }
                None => println!("{} ok {}", file.display(), want.len()),
            }
        }
    }
    assert_eq!(bad, 0);
}
