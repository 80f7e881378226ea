// Secrets: random bytes, tokens, and their hashes.

import Digests

/// Cryptographically secure random bytes.
enum SecureRandom {
    /// `count` bytes from the system's generator.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// An opaque secret for a sign-in or a link. Only its hash is stored.
package struct Token: Sendable {
    /// 256 random bits in hexadecimal digits, for the holder.
    package let text: String

    /// Creates a token.
    package static func make() -> Token { Token(text: Hexadecimal.text(SecureRandom.bytes(32))) }

    /// The prefix of every API key, so that leaked keys can be recognized.
    static let keyPrefix = "stoa_"

    /// Creates an API key.
    static func makeKey() -> Token {
        Token(text: keyPrefix + Hexadecimal.text(SecureRandom.bytes(32)))
    }

    /// The hash in the database: SHA-256; 256 random bits need no salt.
    package var hash: [UInt8] { SHA256.digest(of: text).bytes }
}
