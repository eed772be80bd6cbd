//! Builds tables with progress, and ends cleanly on Ctrl-C.
//!
//!     cargo run --release --example build_tables -- english 4 tables
//!
//! Arguments: a variant, most pieces, and a folder. What a build that was stopped has done is kept: the same arguments go on from there.

use std::error::Error;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use damka::builder::{BuildError, BuildEvent, BuildMonitor, BuildOptions, build, forecast};

/// Set by the handler of Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Shows how far the build has got. Called from many threads.
#[derive(Default)]
struct Progress {
    all: AtomicU64,
    done: AtomicU64,
}

impl BuildMonitor for Progress {
    fn should_stop(&self) -> bool {
        STOP.load(Relaxed)
    }

    fn event(&self, event: &BuildEvent<'_>) {
        match event {
            BuildEvent::Planned { slices, done, positions, .. } => {
                println!("{} of {slices} slices to build, {positions} positions", slices - done);
                self.all.store(*positions, Relaxed);
            }
            BuildEvent::Advanced(positions) => {
                let done = self.done.fetch_add(*positions, Relaxed) + positions;
                let percent = done as f64 * 100.0 / self.all.load(Relaxed).max(1) as f64;
                print!("\r{percent:5.1} %");
                let _ = std::io::stdout().flush();
            }
            BuildEvent::Finished(report) => {
                println!(
                    "\r{}: {} bytes",
                    report.pair.first(),
                    report.wld_bytes + report.dtw_bytes
                );
            }
            // There are others, and there may be more one day.
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, pieces, folder] = &arguments[..] else {
        return Err("arguments: a variant, most pieces, a folder".into());
    };
    let options = BuildOptions::new(variant.parse()?, pieces.parse()?, folder);

    // What it will take, before it begins.
    let forecast = forecast(&options)?;
    println!(
        "about {:.1} s on {} threads, {} MB of memory, {} MB of tables",
        forecast.time.as_secs_f64(),
        forecast.threads,
        forecast.memory / 1_000_000,
        forecast.output / 1_000_000
    );

    ctrlc::set_handler(|| STOP.store(true, Relaxed))?;
    match build(&options, &Progress::default()) {
        Ok(report) => println!("built {} slices, {} were there", report.built, report.skipped),
        Err(BuildError::Stopped) => println!("\nstopped; the same arguments go on from here"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
