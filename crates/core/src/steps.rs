//! A count of the steps that inner loops take, for the tests of this crate; elsewhere counting compiles to nothing.
//!
//! A step is a byte or character that is read or written, an entry of a table that is looked at, or a symbol that is moved.
//! Every loop over a text counts its own, searches that look further than they go included, so that tests can compare the steps
//! for a text with those for one of ten times the length: no clock is asked.

#[cfg(test)]
mod tests;

#[cfg(test)]
thread_local!(static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });

/// So many steps more.
#[inline(always)]
#[expect(clippy::inline_always, reason = "nothing is left of it outside of tests")]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    TAKEN.set(TAKEN.get() + steps as u64);
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps that `work` takes in this thread.
#[cfg(test)]
pub(crate) fn of(work: impl FnOnce()) -> u64 {
    let before = TAKEN.get();
    work();
    TAKEN.get() - before
}
