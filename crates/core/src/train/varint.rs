//! Numbers of any size in few bytes: LEB128, seven bits a byte, the lowest first.

use std::io::{self, Read, Write};

pub(super) fn write_varint(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    let mut bytes = [0; 10];
    let mut n = 0;
    loop {
        bytes[n] = number as u8 & 0x7f;
        number >>= 7;
        n += 1;
        if number == 0 {
            return out.write_all(&bytes[..n]);
        }
        bytes[n - 1] |= 0x80;
    }
}

/// The next number; `None` at the end.
///
/// # Errors
/// The end within a number, a number beyond 64 bits, and those of `input`.
pub(super) fn read_varint(input: &mut impl Read) -> io::Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        if shift == 0 {
            if input.read(&mut byte)? == 0 {
                return Ok(None);
            }
        } else {
            input.read_exact(&mut byte)?;
        }
        if shift == 63 && byte[0] > 1 {
            break;
        }
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(Some(number));
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number has more than 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 62, u64::MAX] {
            let mut bytes = Vec::new();
            write_varint(&mut bytes, number).unwrap();
            let mut rest = bytes.as_slice();
            assert_eq!(read_varint(&mut rest).unwrap(), Some(number));
            assert_eq!(read_varint(&mut rest).unwrap(), None);
            bytes.pop();
            assert_eq!(read_varint(&mut bytes.as_slice()).is_err(), !bytes.is_empty());
        }
        assert!(read_varint(&mut [0xff; 11].as_slice()).is_err());
    }
}
