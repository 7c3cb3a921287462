//! `cargo xtask`: everything one does with the page, from a machine that has only Rust and a C compiler.
//!
//! Each command first installs, by name, what it needs and the machine lacks ([`tools`]), says what it
//! does and how long that took, and installs nothing in a second run.

use std::process::ExitCode;

mod bench;
mod page;
mod shell;
mod suite;
mod tools;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  serve [--dev] [--port N]       build the page and serve it on localhost (default port 8080);
                                 --dev builds faster, unoptimised, and rebuilds on every change
  build [--dev]                  build the page into dist/, hostable under any path
  test  [native|fuzz|wasm|e2e]... run the tests (default: all of these)
  bench [native|ratio|browser]... measure speed and size (default: all three);
                                 a name of benches/, such as session, runs that native one alone";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.split_first() {
        Some((&"serve", rest)) => page::serve(rest),
        Some((&"build", rest)) => page::build(rest),
        Some((&"test", rest)) => suite::run(rest),
        Some((&"bench", rest)) => bench::run(rest),
        _ => Err(USAGE.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
