// Incremental decoding of tokens, which never splits a character. Pending data are bytes, not
// Strings; all pieces together equal the decoding of all tokens at once.

public import Checkpoints

/// Decodes one answer token by token.
public struct StreamingDecoder: Sendable {
    private let tokenizer: Tokenizer
    private let keepSpecial: Bool
    /// Byte-level: the start of a character. Byte fallback: a run of byte tokens.
    private var pending: [UInt8] = []
    /// The number of leading spaces that are still to be removed.
    private var leadingSpaces = 0

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - tokenizer: The tokenizer of the tokens.
    ///   - keepSpecial: Whether special tokens are written as their names or omitted.
    public init(_ tokenizer: Tokenizer, keepSpecial: Bool = false) {
        self.tokenizer = tokenizer
        self.keepSpecial = keepSpecial
        if case .byteFallback(_, let leadingSpacesDropped) = tokenizer.decoderRules {
            leadingSpaces = leadingSpacesDropped
        }
    }

    /// Whether all tokens so far are text that was returned: none is the beginning of a character.
    public var isBetweenCharacters: Bool { pending.isEmpty }

    /// Returns the text that `token` completes; often empty. Unknown ids decode to nothing.
    public mutating func append(_ token: TokenID) -> String {
        let kind = tokenizer.pieces.kind(token)
        if kind == .none || (kind == .special && !keepSpecial) { return "" }
        let piece = tokenizer.pieces.piece(token)
        switch tokenizer.decoderRules {
        case .byteLevel:
            pending.append(contentsOf: piece)
            return takePending(pending.count - UTF8Tail.byteCount(pending))
        case .byteFallback:
            // A run of bytes is decoded as a whole, so its end must be known.
            if kind == .byte {
                pending.append(contentsOf: piece)
                return ""
            }
            return takeRun() + dropLeadingSpaces(String(decoding: piece, as: UTF8.self))
        }
    }

    /// Returns the remaining text at the end of the answer: incomplete characters become U+FFFD.
    public mutating func finish() -> String {
        switch tokenizer.decoderRules {
        case .byteLevel: takePending(pending.count)
        case .byteFallback: takeRun()
        }
    }

    /// The first `count` pending bytes, with one U+FFFD for each maximal ill-formed part.
    private mutating func takePending(_ count: Int) -> String {
        defer { pending.removeFirst(count) }
        return String(decoding: pending[..<count], as: UTF8.self)
    }

    /// The pending run; if it is not UTF-8, one U+FFFD for each of its bytes, as in the reference.
    private mutating func takeRun() -> String {
        guard !pending.isEmpty else { return "" }
        defer { pending.removeAll(keepingCapacity: true) }
        let text =
            String(validating: pending, as: UTF8.self)
            ?? String(repeating: "\u{FFFD}", count: pending.count)
        return dropLeadingSpaces(text)
    }

    private mutating func dropLeadingSpaces(_ text: String) -> String {
        guard leadingSpaces > 0, !text.isEmpty else { return text }
        var scalars = text.unicodeScalars[...]
        while leadingSpaces > 0, scalars.first == " " {
            scalars.removeFirst()
            leadingSpaces -= 1
        }
        if !scalars.isEmpty { leadingSpaces = 0 }
        return String(scalars)
    }
}

/// Incomplete UTF-8 at the end of bytes.
enum UTF8Tail {
    /// The number of bytes at the end of `bytes` that start an incomplete character.
    ///
    /// At most three (Unicode Standard, table 3-7). Other ill-formed bytes stay ill-formed whatever
    /// follows.
    static func byteCount(_ bytes: [UInt8]) -> Int {
        for count in 1...3 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            if byte & 0xC0 == 0x80 { continue }
            let second = count > 1 ? bytes[bytes.count - count + 1] : nil
            return isBeginning(byte, second, count) ? count : 0
        }
        return 0
    }

    /// Whether a character can start with `first` and `second` and has more than `count` bytes.
    private static func isBeginning(_ first: UInt8, _ second: UInt8?, _ count: Int) -> Bool {
        let (length, seconds): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (1, 0x80...0xBF)
            }
        return count < length && second.map(seconds.contains) ?? true
    }
}
