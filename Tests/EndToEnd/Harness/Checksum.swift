import COpenSSL

/// SHA-256 in lower-case hexadecimal digits, as the protocol writes it.
func sha256(_ text: String) -> String { sha256(Array(text.utf8)) }

/// Likewise of bytes.
func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = SHA256(bytes, bytes.count, &digest)
    let digits = Array("0123456789abcdef")
    return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
