//! The pieces, and which of them match at each position of the corpus.
//!
//! Pieces that match at one position are prefixes of one another. So it is enough to know the longest one at each position, and
//! for each piece the longest other one that it begins with. Pieces only ever go, which keeps both easy to correct.

/// No piece.
pub(super) const NONE: u32 = u32::MAX;

/// What the inner loops need of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// A weight or a score, whatever is summed at the moment.
    pub(super) value: f64,
    /// The longest other piece that this one begins with, or [`NONE`].
    pub(super) parent: u32,
    /// In characters.
    pub(super) length: u32,
}

/// Pieces, numbered in the order of their characters, so that the parent of a piece comes before it.
pub(super) struct Pieces {
    pub(super) links: Vec<Link>,
    /// By piece: logarithms of probabilities.
    pub(super) scores: Vec<f64>,
    /// By piece: a position of the corpus where it stands.
    pub(super) at: Vec<u32>,
    /// Which piece comes first where the order matters.
    pub(super) order: Vec<u32>,
    /// By position of the corpus: the longest piece that matches there, or [`NONE`].
    pub(super) longest: Vec<u32>,
}

impl Pieces {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// The pieces that match at a position, from the longest to the shortest.
    #[inline]
    pub(super) fn matches(&self, position: usize) -> impl Iterator<Item = (u32, Link)> {
        let mut piece = self.longest[position];
        std::iter::from_fn(move || {
            let this = piece;
            let link = *self.links.get(this as usize)?;
            piece = link.parent;
            Some((this, link))
        })
    }

    /// The score of a character that no piece stands for: ten less than the lowest.
    pub(super) fn unknown_score(&self) -> f64 {
        self.lowest_score() - 10.0
    }

    /// The lowest score of all, 0 if there is none.
    pub(super) fn lowest_score(&self) -> f64 {
        self.scores.iter().copied().reduce(f64::min).unwrap_or(0.0)
    }

    /// Characters of the longest piece; an unknown character counts as one.
    pub(super) fn longest_length(&self) -> usize {
        self.links.iter().map(|link| link.length as usize).max().unwrap_or(1)
    }

    /// Set the values of all links.
    pub(super) fn set_values(&mut self, value: impl Fn(f64, u32) -> f64) {
        for (link, &score) in self.links.iter_mut().zip(&self.scores) {
            link.value = value(score, link.length);
        }
    }

    /// Keep these pieces alone, in this order.
    pub(super) fn keep(&mut self, order: Vec<u32>) {
        // By old number: 0 for a piece that goes, then the new number of the piece itself or of what takes its place.
        let mut renamed = vec![NONE; self.links.len()];
        for &piece in &order {
            renamed[piece as usize] = 0;
        }
        let mut kept = 0;
        for old in 0..self.links.len() {
            let Link { value, parent, length } = self.links[old];
            let parent = if parent == NONE { NONE } else { renamed[parent as usize] };
            if renamed[old] == NONE {
                renamed[old] = parent;
                continue;
            }
            renamed[old] = kept as u32;
            self.links[kept] = Link { value, parent, length };
            self.scores[kept] = self.scores[old];
            self.at[kept] = self.at[old];
            kept += 1;
        }
        self.links.truncate(kept);
        self.scores.truncate(kept);
        self.at.truncate(kept);
        self.order = order;
        for piece in &mut self.order {
            *piece = renamed[*piece as usize];
        }
        for piece in self.longest.iter_mut().filter(|piece| **piece != NONE) {
            *piece = renamed[*piece as usize];
        }
    }
}
