//! The entries of a vocabulary as a trie over bytes, eight bytes a node.

use crate::models::Vocabulary;
use crate::models::trie::{FREE, Layout, ROOT};
use crate::steps;

/// Set in `base` of a node at which an entry ends.
const END: u32 = 1 << 31;

#[derive(Clone, Copy, Debug)]
struct Node {
    base: u32,
    check: u32,
}

/// See the module.
#[derive(Debug)]
pub(super) struct EntryTrie {
    nodes: Vec<Node>,
    /// By node; what stands at a node without an entry is not read.
    ids: Vec<u32>,
}

impl Default for EntryTrie {
    fn default() -> Self {
        Self::new(&Vocabulary::default())
    }
}

impl EntryTrie {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let (entries, entry_ids): (Vec<&str>, Vec<u32>) = vocabulary.iter().unzip();
        let Layout { slots, ends } = Layout::new(&entries);
        let mut nodes: Vec<Node> = slots.iter().map(|s| Node { base: s.base, check: s.check }).collect();
        let mut ids = vec![FREE; nodes.len()];
        for (node, entry) in ends {
            nodes[node as usize].base |= END;
            ids[node as usize] = entry_ids[entry as usize];
        }
        Self { nodes, ids }
    }

    /// The node that `text` leads to from the root, if an entry begins with it.
    pub(super) fn descend(&self, text: &[u8]) -> Option<u32> {
        let step = |at: u32, &byte: &u8| {
            let next = self.nodes[at as usize].base & !END ^ u32::from(byte);
            (self.nodes[next as usize].check == at).then_some(next)
        };
        text.iter().try_fold(ROOT, step)
    }

    /// Length in bytes, at least 1, and id of the longest entry that `text` goes through from `root`.
    #[inline]
    pub(super) fn longest(&self, root: u32, text: &[u8]) -> Option<(usize, u32)> {
        let mut at = root;
        let mut base = self.nodes[at as usize].base & !END;
        let mut found = None;
        for (i, &byte) in text.iter().enumerate() {
            steps::count(1);
            let next = base ^ u32::from(byte);
            let node = self.nodes[next as usize];
            if node.check != at {
                break;
            }
            at = next;
            base = node.base & !END;
            if node.base & END != 0 {
                found = Some((i + 1, at));
            }
        }
        found.map(|(length, node)| (length, self.ids[node as usize]))
    }
}
