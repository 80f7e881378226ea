// The code that a user types to sign a device in (RFC 8628, section 6.1).

/// Eight letters, shown in two groups: "BCDF-GHJK". The alphabet has no vowels, so that no code is a
/// word, and no digits, which look like letters; 20^8 codes are 34.5 bits.
public struct UserCode: Sendable, Hashable {
    /// The letters of codes.
    public static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let count = 8

    /// The letters in upper case, without the hyphen.
    public let letters: String

    /// A random code.
    /// - Parameter generator: a cryptographically secure source.
    public init(using generator: inout some RandomNumberGenerator) {
        letters = String(
            (0..<Self.count).map { _ in
                Self.alphabet[Int.random(in: Self.alphabet.indices, using: &generator)]
            }
        )
    }

    /// Reads what a user has typed: in either case, with or without hyphens and spaces.
    /// - Returns: nil if it is no code.
    public init?(typed text: String) {
        // A longer text is not looked through.
        guard text.utf8.count <= 64 else { return nil }
        let letters = text.uppercased().filter { $0 != "-" && !$0.isWhitespace }
        guard letters.count == Self.count, letters.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
        self.letters = letters
    }

    /// The code as it is shown.
    public var text: String { "\(letters.prefix(4))-\(letters.suffix(4))" }
}
