//! The byte alphabet: one printable character for each byte, as byte-level vocabularies spell them.
//!
//! Source: Radford et al. 2019, `encoder.py` of GPT-2 (`bytes_to_unicode`): bytes that print stand for themselves, the other
//! 68 in rising order become U+0100, U+0101, and so on.

/// The character that stands for each byte.
pub const BYTE_TO_CHAR: [char; 256] = byte_to_char();

/// How many code points the alphabet spans: its characters lie below U+0144.
const SPAN: usize = 0x100 + 68;

/// What stands in [`CHAR_TO_BYTE`] for characters outside the alphabet.
const NONE: u16 = u16::MAX;

const CHAR_TO_BYTE: [u16; SPAN] = {
    let mut table = [NONE; SPAN];
    let mut byte = 0;
    while byte < 256 {
        table[BYTE_TO_CHAR[byte] as usize] = byte as u16;
        byte += 1;
    }
    table
};

const fn byte_to_char() -> [char; 256] {
    let mut table = ['\0'; 256];
    let mut next = 0x100;
    let mut byte = 0u8;
    loop {
        table[byte as usize] = if stands_for_itself(byte) {
            byte as char
        } else {
            next += 1;
            match char::from_u32(next - 1) {
                Some(c) => c,
                None => panic!("U+0100 to U+0143 are characters"),
            }
        };
        if byte == 255 {
            return table;
        }
        byte += 1;
    }
}

/// Whether a byte is its own character in the alphabet: the printable ones of Latin-1, without the soft hyphen.
pub const fn stands_for_itself(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

/// The byte that a character of the alphabet stands for.
pub const fn char_to_byte(c: char) -> Option<u8> {
    if (c as usize) < SPAN {
        let byte = CHAR_TO_BYTE[c as usize];
        if byte != NONE {
            return Some(byte as u8);
        }
    }
    None
}

/// Append the bytes that `text` spells in the alphabet. False, and nothing appended, if any character is not of it.
pub fn push_bytes(text: &str, bytes: &mut Vec<u8>) -> bool {
    let before = bytes.len();
    for c in text.chars() {
        if let Some(byte) = char_to_byte(c) {
            bytes.push(byte);
        } else {
            bytes.truncate(before);
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_is_a_bijection() {
        for byte in 0..=255u8 {
            assert_eq!(char_to_byte(BYTE_TO_CHAR[byte as usize]), Some(byte));
        }
        assert_eq!((0..=0x10_ffff).filter_map(char::from_u32).filter(|c| char_to_byte(*c).is_some()).count(), 256);
    }

    #[test]
    fn known_letters() {
        assert_eq!(BYTE_TO_CHAR[b' ' as usize], 'Ġ');
        assert_eq!(BYTE_TO_CHAR[b'\n' as usize], 'Ċ');
        assert_eq!(BYTE_TO_CHAR[0xad], '\u{143}');
        let mut bytes = Vec::new();
        assert!(push_bytes("Ã©", &mut bytes));
        assert_eq!(bytes, "é".as_bytes());
        assert!(!push_bytes("a中", &mut bytes));
        assert_eq!(bytes, "é".as_bytes());
    }
}
