//! Dependencies between the modules of this crate point one way: the table below is the whole of what is allowed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module with the modules that it may use, which all stand above it.
const ALLOWED: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("steps", &[]),
    ("text", &["error", "steps"]),
    ("component", &["error"]),
    ("memory", &[]),
    ("columns", &["error", "steps", "text", "memory"]),
    ("split", &["error", "steps", "text", "component"]),
    ("normalizers", &["error", "steps", "text", "component", "split"]),
    ("pre_tokenizers", &["error", "text", "component", "split"]),
    ("models", &["error", "steps", "text", "component"]),
    ("processors", &["error", "text", "component", "columns"]),
    ("decoders", &["error", "steps", "text", "component", "split"]),
    ("added_tokens", &["error", "steps", "text", "split", "normalizers"]),
    (
        "spec",
        &[
            "error",
            "text",
            "component",
            "columns",
            "normalizers",
            "pre_tokenizers",
            "models",
            "processors",
            "decoders",
            "added_tokens",
        ],
    ),
    (
        "program",
        &[
            "error",
            "steps",
            "memory",
            "text",
            "component",
            "columns",
            "split",
            "normalizers",
            "pre_tokenizers",
            "models",
            "processors",
            "decoders",
            "added_tokens",
            "spec",
        ],
    ),
    ("decode_stream", &["error", "steps", "text", "split", "decoders", "added_tokens", "spec", "program"]),
    (
        "train",
        &[
            "error",
            "text",
            "component",
            "columns",
            "split",
            "normalizers",
            "pre_tokenizers",
            "models",
            "added_tokens",
            "spec",
            "program",
        ],
    ),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The sources, without files of unit tests, which may use anything.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The module of the crate that a file belongs to; empty for `lib.rs`.
fn module_of(file: &Path) -> String {
    let inside = file.strip_prefix(source()).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    first.strip_suffix(".rs").unwrap_or(first).replace("lib", "")
}

/// The code of a file without comments, and without the tests at its end, which may use anything.
fn code_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| *line != "#[cfg(test)]")
        .map(|(number, line)| (number + 1, line.split("//").next().unwrap_or("")))
}

/// The first name after each `crate::`; all names of the outermost level for `crate::{...}`.
fn used_modules(text: &str) -> Vec<(usize, String)> {
    let mut code = String::new();
    let mut line_starts = Vec::new();
    for (number, line) in code_of(text) {
        line_starts.push((code.len(), number));
        code.push_str(line);
        code.push('\n');
    }
    let line_of = |at: usize| line_starts[line_starts.partition_point(|(start, _)| *start <= at) - 1].1;
    let name = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();

    let mut used = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        let rest = &code[at + found.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            used.push((line_of(at), name(rest)));
            continue;
        };
        let mut depth = 0;
        let mut expects_name = true;
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' => expects_name = depth == 0,
                c if expects_name && !c.is_whitespace() => {
                    used.push((line_of(at), name(&group[i..])));
                    expects_name = false;
                }
                _ => {}
            }
        }
    }
    used
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let mut files = Vec::new();
    rust_files(&source(), &mut files);
    let known: BTreeSet<&str> = ALLOWED.iter().map(|(module, _)| *module).collect();
    let mut wrong = Vec::new();
    for file in &files {
        let module = module_of(file);
        if module.is_empty() {
            continue;
        }
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: module `{module}` is not in the table", file.display()));
            continue;
        };
        for (line, used) in used_modules(&fs::read_to_string(file).unwrap()) {
            if known.contains(used.as_str()) && used != module && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}:{line}: `{module}` may not use `{used}`", file.display()));
            }
        }
    }
    assert!(files.len() > 5, "no sources found");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_points_one_way() {
    for (at, (module, allowed)) in ALLOWED.iter().enumerate() {
        let above: Vec<&str> = ALLOWED[..at].iter().map(|(name, _)| *name).collect();
        for used in *allowed {
            assert!(above.contains(used), "`{module}` uses `{used}`, which does not stand above it");
        }
    }
}

#[test]
fn uses_are_found_in_every_form() {
    let text = "use crate::text::span;\nuse crate::{error::{Error, Result}, split};\nlet x = $crate::spec::y(); // crate::train\n";
    let names: Vec<(usize, String)> = used_modules(text);
    let expected = [(1, "text"), (2, "error"), (2, "split"), (3, "spec")];
    assert_eq!(names, expected.map(|(line, name)| (line, name.to_owned())));
}

#[test]
fn the_core_names_no_python() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    assert!(!manifest.contains("pyo3"), "crates/core must not depend on PyO3");
}
