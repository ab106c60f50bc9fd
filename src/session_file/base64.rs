//! Bytes as text and back (RFC 4648, section 4, with padding), in lines that an editor bears.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Bytes of a line of 120 letters.
const LINE: usize = 90;

/// The bytes as lines of letters.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 3 * 4 + bytes.len() / LINE + 8);
    for line in bytes.chunks(LINE) {
        for three in line.chunks(3) {
            let mut padded = [0; 3];
            for (to, from) in padded.iter_mut().zip(three) {
                *to = *from;
            }
            let [a, b, c] = padded.map(u32::from);
            let bits = (a << 16) | (b << 8) | c;
            for at in 0..4 {
                let letter = LETTERS.get(((bits >> (18 - 6 * at)) & 63) as usize);
                let filled = at <= three.len();
                text.push(letter.filter(|_| filled).map_or('=', |letter| char::from(*letter)));
            }
        }
        text.push('\n');
    }
    text
}

/// The bytes of some letters; white space between them means nothing.
///
/// # Errors
/// The offset of the first byte that is none of the letters, or the length where the text is cut.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count, mut padding) = (0_u32, 0, 0);
    for (at, letter) in text.bytes().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                0
            }
            letter if letter.is_ascii_whitespace() => continue,
            _ => return Err(at),
        };
        if padding > 2 || (padding > 0 && letter != b'=') {
            return Err(at);
        }
        bits = (bits << 6) | u32::from(value);
        count += 1;
        if count == 4 {
            let [_, three @ ..] = bits.to_be_bytes();
            bytes.extend(three.iter().take(3 - padding));
            (bits, count) = (0, 0);
        }
    }
    if count == 0 { Ok(bytes) } else { Err(text.len()) }
}

/// The bytes as letters that an address bears (RFC 4648, section 5): in one line, without padding.
pub(super) fn encode_url(bytes: &[u8]) -> String {
    let letter = |letter| match letter {
        '+' => Some('-'),
        '/' => Some('_'),
        '\n' | '=' => None,
        letter => Some(letter),
    };
    encode(bytes).chars().filter_map(letter).collect()
}

/// The bytes of what [`encode_url`] wrote.
///
/// # Errors
/// As [`decode`].
pub(super) fn decode_url(text: &str) -> Result<Vec<u8>, usize> {
    let mut standard = String::with_capacity(text.len() + 2);
    for (at, letter) in text.char_indices() {
        standard.push(match letter {
            '-' => '+',
            '_' => '/',
            letter if letter.is_ascii_alphanumeric() => letter,
            _ => return Err(at),
        });
    }
    match text.len() % 4 {
        1 => return Err(text.len()),
        2 => standard.push_str("=="),
        3 => standard.push('='),
        _ => {}
    }
    decode(&standard)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_vectors_of_rfc_4648() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()).trim_end(), text);
            assert_eq!(decode(text).unwrap(), plain.as_bytes());
        }
        assert_eq!(decode("Zm9v<"), Err(4));
        assert_eq!(decode("Zm9vY"), Err(5), "cut");
        assert_eq!(decode("Zg==Zg=="), Err(4), "nothing follows the padding");
        assert_eq!(decode("Zg==="), Err(4));
        assert_eq!(encode_url(&[0xfb, 0xef, 0xff, 0x66]), "--__Zg");
        assert_eq!(decode_url("--__Zg"), Ok(vec![0xfb, 0xef, 0xff, 0x66]));
        for (text, at) in [("Zm9vY", 5), ("Zg==", 2), ("Zm 9", 2), ("Zm+v", 2), ("Zmé", 2)] {
            assert_eq!(decode_url(text), Err(at), "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            prop_assert_eq!(decode(&encode(&bytes)).unwrap(), &bytes[..]);
            prop_assert_eq!(decode_url(&encode_url(&bytes)).unwrap(), bytes);
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = decode(&text);
            let _ = decode_url(&text);
        }
    }
}
