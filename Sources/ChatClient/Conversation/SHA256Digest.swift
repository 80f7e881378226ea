// The digest that the end of an answer bears.

import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256Digest {
    /// The digest of a text's UTF-8 bytes, in lower-case hexadecimal digits.
    public static func hexadecimal(of text: String) -> String {
        var text = text
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        text.withUTF8 { bytes in
            _ = SHA256(bytes.baseAddress, bytes.count, &digest)
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
