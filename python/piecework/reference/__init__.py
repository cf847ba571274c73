"""The three algorithms of subword tokenization in plain Python, each short enough to be read in one sitting.

They show every step, are made for corpora of a page, and are what the fast implementations are held equal to.

| class | learns by | encodes by | source |
|---|---|---|---|
| `BPE` | merging the most frequent pair | the same merges, in their order | Sennrich et al. 2016 |
| `WordPiece` | merging the pair of the highest score | longest match from the left | Schuster and Nakajima 2012 |
| `Unigram` | dropping the pieces missed least | the most probable segmentation | Kudo 2018 |
"""

from piecework.reference.bpe import BPE, Corpus, MergeStep
from piecework.reference.unigram import PruningStep, Unigram
from piecework.reference.unigram_training import PruningRound, TrainedUnigram, train_unigram
from piecework.reference.wordpiece import WordPiece

__all__ = [
    "BPE",
    "Corpus",
    "MergeStep",
    "PruningRound",
    "PruningStep",
    "TrainedUnigram",
    "Unigram",
    "WordPiece",
    "train_unigram",
]
