//! Rewriting a text and following its bytes back.

use super::*;

#[test]
fn edits_keep_the_span_of_what_they_replace() {
    let mut text = AlignedText::new("aéb", 10);
    let mut edit = text.edit();
    edit.keep(1);
    edit.replace(2, "ee");
    edit.finish();
    assert_eq!(text.as_str(), "aeeb");
    assert_eq!(text.origin(1..2), ByteSpan::new(11, 13));
    assert_eq!(text.origin(0..4), ByteSpan::new(10, 14));
    assert_eq!(text.slice(2..4).origin(0..2), ByteSpan::new(11, 14));
}

#[test]
fn an_edit_that_keeps_all_changes_nothing() {
    let mut text = AlignedText::new("aé", 3);
    let mut edit = text.edit();
    edit.keep(3);
    edit.finish();
    assert_eq!(text, AlignedText::new("aé", 3));
}

#[test]
fn inserted_text_takes_the_span_behind() {
    let mut text = AlignedText::new("ab", 5);
    let mut edit = text.edit();
    edit.push("x", edit.span_behind());
    edit.keep(1);
    edit.push("y", edit.span_behind());
    edit.finish();
    assert_eq!(text.as_str(), "xayb");
    assert_eq!(
        text.byte_origins(),
        [ByteSpan::new(5, 5), ByteSpan::new(5, 6), ByteSpan::new(5, 6), ByteSpan::new(6, 7)]
    );
}

#[test]
fn an_untracked_text_knows_whether_its_parts_begin_the_original() {
    let starts = |text: &AlignedText| [0, 1, 2].map(|at| text.slice(at..3).start() == 0);
    let mut text = AlignedText::untracked("abc", 0);
    assert_eq!(starts(&text), [true, false, false]);
    let mut edit = text.edit();
    edit.push("x", edit.span_ahead(1));
    edit.finish();
    assert_eq!(starts(&text), [true, true, false]);
    let mut edit = text.edit();
    edit.skip(2);
    edit.finish();
    assert_eq!(text.as_str(), "bc");
    assert_ne!(text.slice(0..2).start(), 0);
    assert_ne!(AlignedText::untracked("abc", 7).slice(0..3).start(), 0);
}
