// SHA-256, by OpenSSL.

import COpenSSL

enum Digest {
    /// The SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal digits.
    static func sha256(_ text: String) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for byte in sha256(Array(text.utf8)) {
            digits.append(hexadecimal[Int(byte >> 4)])
            digits.append(hexadecimal[Int(byte & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The SHA-256 of some bytes.
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        _ = SHA256(bytes, bytes.count, &digest)
        return digest
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
