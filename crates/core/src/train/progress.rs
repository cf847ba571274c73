//! How a training tells how far it is, and how it is stopped.

use crate::error::Result;

/// Receives the progress of a training, on the thread that called it.
///
/// Both methods are called far more often than a display needs; an implementation limits its own rate.
pub trait Progress {
    /// A stage begins; `total` is its size in the units of [`Progress::advance`], 0 when unknown.
    ///
    /// # Errors
    /// As those of [`Progress::advance`].
    fn stage(&mut self, name: &str, total: u64) -> Result<()>;

    /// `n` more units are done, possibly 0.
    ///
    /// # Errors
    /// Any error ends the training and comes out of it unchanged: [`crate::error::Error::Interrupted`] for Ctrl-C.
    fn advance(&mut self, n: u64) -> Result<()>;
}

/// Shows nothing and never stops a training.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn stage(&mut self, _name: &str, _total: u64) -> Result<()> {
        Ok(())
    }

    fn advance(&mut self, _n: u64) -> Result<()> {
        Ok(())
    }
}
