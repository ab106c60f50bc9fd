//! The bytes of a message between page and worker: postcard, since field names and text for every number cost a
//! fifth of the page's module and are read by nobody (decision 0019).

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as bytes.
///
/// The protocol's types are plain data of known length, which postcard writes without fail; should one ever not be,
/// the empty message is refused by [`read`] at the other end.
pub fn write<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// The message of some bytes.
///
/// # Errors
/// When they are no message of this build, in words.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{JobId, Reply, Said};

    #[test]
    fn a_message_comes_back_and_a_damaged_one_is_refused() {
        let said = Said::Reply(Reply::Failed { job: JobId(7), message: "why".into() });
        let bytes = write(&said);
        assert_eq!(read::<Said<Reply>>(&bytes).unwrap(), said);
        let longer = [bytes.clone(), vec![0, 0]].concat();
        assert_eq!(read::<Said<Reply>>(&longer).unwrap_err(), "2 bytes too many");
        assert!(read::<Said<Reply>>(&bytes[..bytes.len() - 1]).is_err());
        assert!(read::<Said<Reply>>(&[]).is_err());
    }
}
