//! The shell examples of the README print what it shows. Its Rust example is a doc test.

use std::path::Path;
use std::process::Command;

/// Commands of the `console` blocks with the lines that follow each.
fn examples(text: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => examples.push((command.to_owned(), Vec::new())),
                None => examples.last_mut().expect("a command first").1.push(line.to_owned()),
            },
        }
    }
    examples
}

/// Whether the lines are those expected, `...` standing for any number of lines.
fn fits(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line.trim_end() == first.trim_end())
                && fits(rest, &lines[1..])
        }
    }
}

#[test]
fn shell_examples_print_what_the_readme_shows() {
    let folder = crate::common::tables::lasting_tables(4);
    let program = Path::new(env!("CARGO_BIN_EXE_damka")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let text = std::fs::read_to_string("README.md").expect("a README");
    let examples = examples(&text);
    assert!(examples.len() >= 3);
    for (command, expected) in examples {
        let ran = Command::new("sh")
            .args(["-c", &command])
            .env("PATH", &path)
            .env("DAMKA_PATH", &folder)
            .output()
            .expect("a shell");
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
        let shown = String::from_utf8(ran.stdout).expect("text");
        let lines: Vec<&str> = shown.trim_end().lines().collect();
        assert!(fits(&expected, &lines), "{command} prints\n{shown}");
    }
}
