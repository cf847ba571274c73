//! The script of each character, in Unicode 9.

use super::classes::CharSet;
use super::unicode_table::LazyTable;
use std::sync::LazyLock;

/// A script of Unicode 9, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script(u8);

impl Script {
    /// Of characters that have no script, because they came later or do not exist.
    pub const NONE: Self = Self(0);

    /// The script of a character. `Common` and `Inherited` are scripts too.
    #[inline]
    pub fn of(c: char) -> Self {
        Self(SCRIPTS.get(c))
    }
}

/// The scripts that have a character in Unicode 9, by their names in the Unicode Character Database. They are numbered from 1.
const NAMES: &str = "\
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo \
    Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Common Coptic \
    Cuneiform Cypriot Cyrillic Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic \
    Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited \
    Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi Khmer Khojki \
    Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean \
    Marchen Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar \
    Nabataean New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian \
    Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician \
    Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sora_Sompeng \
    Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai \
    Tibetan Tifinagh Tirhuta Ugaritic Vai Warang_Citi Yi";

static SCRIPTS: LazyTable = LazyTable::new(|c| {
    if !KNOWN.contains(c) {
        return 0;
    }
    // The four whose script has changed since take that of a neighbour of theirs.
    let c = match c {
        '\u{589}' | '\u{61c}' => '.',
        '\u{953}' | '\u{954}' => 'क',
        c => c,
    };
    let at = RANGES.partition_point(|(_, last, _)| *last < c);
    RANGES.get(at).filter(|(first, _, _)| *first <= c).map_or(0, |(_, _, script)| *script)
});

static KNOWN: LazyLock<CharSet> = LazyLock::new(|| CharSet::parse(r"\p{age=9.0}"));

/// Ranges of characters of one script, both ends included, in order.
static RANGES: LazyLock<Vec<(char, char, u8)>> = LazyLock::new(|| {
    let mut ranges = Vec::new();
    for (script, name) in (1..).zip(NAMES.split(' ')) {
        let set = CharSet::parse(&format!(r"\p{{sc={name}}}"));
        ranges.extend(set.ranges().iter().map(|range| (range.start(), range.end(), script)));
    }
    ranges.sort_unstable();
    ranges
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_character_has_a_script() {
        let known = || (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| KNOWN.contains(*c));
        // Private use characters and noncharacters exist without a script.
        let without: Vec<char> = known().filter(|c| Script::of(*c) == Script::NONE).collect();
        assert!(
            without.iter().all(|c| matches!(*c, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..)
                || u32::from(*c) & 0xfffe == 0xfffe),
            "{:?}",
            &without[..10]
        );
        assert_eq!(Script::of('a'), Script::of('ａ'));
        assert_ne!(Script::of('a'), Script::of('а'));
        assert_eq!(Script::of('\u{32ff}'), Script::NONE);
    }
}
