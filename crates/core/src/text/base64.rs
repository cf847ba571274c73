//! Base64, as descriptions hold bytes. Source: RFC 4648, section 4 (standard alphabet, with padding).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut at = 0;
    while at < 64 {
        values[ALPHABET[at] as usize] = at as u8;
        at += 1;
    }
    values
};

/// The bytes that `text` spells. `None` if it is not base64, its padding is missing, or its unused bits are not zero.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|b| **b == b'=').count();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text[..text.len() - padding.min(2)].chunks(4) {
        let mut bits = 0;
        for letter in group {
            match VALUES[*letter as usize] {
                u8::MAX => return None,
                value => bits = bits << 6 | u32::from(value),
            }
        }
        bits <<= 6 * (4 - group.len()) + 8;
        let len = group.len() * 6 / 8;
        let group = bits.to_be_bytes();
        if group[len..] != [0; 4][len..] {
            return None;
        }
        bytes.extend_from_slice(&group[..len]);
    }
    Some(bytes)
}

/// The text that spells `bytes`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, b| bits << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        for at in 0..4 {
            text.push(if at <= group.len() { ALPHABET[(bits >> (18 - 6 * at) & 63) as usize] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_examples_both_ways() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn malformed_text_is_refused() {
        for text in ["Z", "Zg", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9", "Zm9v\n"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
