// Secrets: random bytes, their text forms, and their hashes.

import Digests

/// Random bytes fit for secrets.
enum SecureRandom {
    /// `count` bytes from the system's generator.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// An opaque secret that stands for a sign-in or a link. Only its hash is ever stored.
package struct Token: Sendable {
    /// 256 random bits in hexadecimal digits: what the holder keeps.
    package let text: String

    /// A fresh token.
    package static func make() -> Token { Token(text: Hexadecimal.text(SecureRandom.bytes(32))) }

    /// What every API key begins with, so that one is known where it turns up.
    static let keyPrefix = "stoa_"

    /// A fresh API key.
    static func makeKey() -> Token {
        Token(text: keyPrefix + Hexadecimal.text(SecureRandom.bytes(32)))
    }

    /// What the database keeps: SHA-256, which needs no salt over 256 random bits.
    package var hash: [UInt8] { SHA256.digest(of: text).bytes }
}
