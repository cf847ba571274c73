//! The threads of one counting.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::spill::Spill;
use super::{CountOptions, PieceSource, combine, combine_runs};
use crate::error::{Error, Result};
use crate::train::counter::WordCounter;
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// How long the calling thread sleeps between two looks at a team that is still busy.
const NAP: Duration = Duration::from_millis(20);

/// What the threads share.
#[derive(Default)]
pub(super) struct Team {
    stop: AtomicBool,
    busy: AtomicUsize,
    /// Units of progress that were not reported yet.
    done: AtomicU64,
    /// The error of the earliest unit.
    error: Mutex<Option<(u32, Error)>>,
}

/// One thread at work.
pub(super) struct Worker<'a, S: PieceSource> {
    team: &'a Team,
    source: &'a S,
    scratch: S::Scratch,
    counter: WordCounter,
    spill: Option<&'a Spill>,
    /// Pieces that were written to disk.
    spilled: u64,
}

impl<S: PieceSource> Worker<'_, S> {
    /// Count the pieces of one item.
    pub(super) fn count(&mut self, item: &str, unit: u32) -> Result<()> {
        let Self { source, scratch, counter, spill, spilled, .. } = self;
        source.pieces(item, scratch, &mut |piece| counter.add(piece, 1, unit))?;
        match spill {
            Some(spill) if spill.is_due(counter) => write(spill, std::mem::take(counter), spilled),
            _ => Ok(()),
        }
    }

    /// Whether there is nothing left to do for this team.
    pub(super) fn stopped(&self) -> bool {
        self.team.stop.load(Ordering::Relaxed)
    }

    /// Keep the outcome of a unit of `size` units of progress. Units are handed out in order, and all threads finish theirs
    /// before they stop: so the error that comes out is that of the earliest unit, on any number of threads.
    pub(super) fn finished(&self, unit: u32, size: u64, outcome: Result<()>) {
        match outcome {
            Ok(()) => drop(self.team.done.fetch_add(size, Ordering::Relaxed)),
            Err(error) => self.team.fail(unit, error),
        }
    }

    /// Keep an error that lies behind all units: those that were handed out already are still counted.
    pub(super) fn failed_behind(&self, unit: u32, error: Error) {
        self.team.keep(unit, error);
    }

    /// Report what all threads did since the last report. An error (Ctrl-C) stops the team.
    pub(super) fn report(&self, progress: &mut dyn Progress) {
        self.team.report(progress);
    }
}

/// Write a table to disk.
fn write(spill: &Spill, counter: WordCounter, spilled: &mut u64) -> Result<()> {
    let words = counter.finish();
    spill.write(&words, *spilled)?;
    *spilled += words.len() as u64;
    Ok(())
}

impl Team {
    fn fail(&self, unit: u32, error: Error) {
        self.stop.store(true, Ordering::Relaxed);
        self.keep(unit, error);
    }

    fn keep(&self, unit: u32, error: Error) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(earliest, _)| unit < *earliest) {
            *first = Some((unit, error));
        }
    }

    fn report(&self, progress: &mut dyn Progress) {
        if let Err(error) = progress.advance(self.done.swap(0, Ordering::Relaxed)) {
            // Before the errors of all units: the user asked to stop.
            self.fail(0, error);
        }
    }
}

/// Run the workers (at least one, which is the calling thread and runs `lead`), and put together what they counted.
///
/// `help` is the work of the others.
///
/// # Errors
/// The error of the earliest unit, or of `progress`.
pub(super) fn run<S: PieceSource>(
    source: &S,
    options: &CountOptions,
    progress: &mut dyn Progress,
    lead: impl FnOnce(&mut Worker<S>, &mut dyn Progress),
    help: impl Fn(&mut Worker<S>) + Sync,
) -> Result<WordCounts> {
    let team = Team::default();
    let spill = Spill::new(options);
    let worker = || Worker {
        team: &team,
        source,
        scratch: S::Scratch::default(),
        counter: WordCounter::new(),
        spill: spill.as_ref(),
        spilled: 0,
    };
    let tables = thread::scope(|scope| {
        let caller = thread::current();
        let helpers: Vec<_> = (1..options.threads)
            .map(|_| {
                team.busy.fetch_add(1, Ordering::Relaxed);
                let (mut worker, caller, help, team) = (worker(), caller.clone(), &help, &team);
                scope.spawn(move || {
                    // Also if `help` panics: the caller must not wait for ever.
                    let _leave = Leave { _guard: StopOnPanic(team), team, caller };
                    help(&mut worker);
                    (worker.counter, worker.spilled)
                })
            })
            .collect();
        let mut own = worker();
        let guard = StopOnPanic(&team);
        lead(&mut own, progress);
        drop(guard);
        while team.busy.load(Ordering::Acquire) > 0 {
            thread::park_timeout(NAP);
            team.report(progress);
        }
        // What the others did between the last look and their end.
        team.report(progress);
        let mut tables = vec![(own.counter, own.spilled)];
        for helper in helpers {
            match helper.join() {
                Ok(table) => tables.push(table),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        tables
    });
    if let Some((_, error)) = team.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    match &spill {
        Some(spill) if !spill.is_empty() => {
            for (counter, mut spilled) in tables {
                write(spill, counter, &mut spilled)?;
                progress.advance(0)?;
            }
            combine_runs(source, spill, progress)
        }
        _ => combine(source, tables.into_iter().map(|(counter, _)| counter).collect(), progress),
    }
}

/// A panic of one thread ends the work of the others, so that it can come out.
struct StopOnPanic<'a>(&'a Team);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Tells the calling thread that a helper is done.
struct Leave<'a> {
    _guard: StopOnPanic<'a>,
    team: &'a Team,
    caller: thread::Thread,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.team.busy.fetch_sub(1, Ordering::Release);
        self.caller.unpark();
    }
}
