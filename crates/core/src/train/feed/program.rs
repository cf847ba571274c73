//! The compiled tokenizer as the source of pieces.

use super::PieceSource;
use crate::error::Result;
use crate::program::{PieceScratch, Program};

impl PieceSource for Program {
    type Scratch = PieceScratch;

    fn pieces(&self, item: &str, scratch: &mut PieceScratch, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.training_pieces(item, scratch, sink)
    }

    fn finish(&self, piece: &[u8], sink: &mut dyn FnMut(&str)) -> Result<()> {
        self.training_words(piece, sink)
    }
}
