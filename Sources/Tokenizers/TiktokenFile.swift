// tiktoken's vocabulary files: a line for each token, with its bytes in base64 and its rank, which is
// also its id. https://github.com/openai/tiktoken

import Checkpoints

/// The tokens of a file, by rank. Any two neighbors whose bytes together are a token's are merged to
/// it, those with the lowest rank first.
struct TiktokenFile {
    /// Maximum size of a file in bytes; that of cl100k has 1.7 MB.
    static let byteCountMax = 8 << 20
    /// Maximum length of a token in bytes; the longest of cl100k has 128. The time for finding all
    /// merges grows with its square.
    static let tokenByteCountMax = 256

    /// A token's rank, and its bytes.
    typealias Token = (rank: TokenID, bytes: [UInt8])

    private(set) var tokens: [Token] = []

    /// Reads `content`; ranks must be lower than `rankLimit`, all different.
    init(
        parsing content: Span<UInt8>,
        rankLimit: Int,
        path: String
    ) throws(TokenizerError) {
        guard content.count <= Self.byteCountMax else {
            throw .malformed(path: path, reason: "it has \(content.count) bytes")
        }
        var isTaken = [Bool](repeating: false, count: rankLimit)
        var start = 0
        var number = 1
        while start < content.count {
            var end = start
            while end < content.count, content[end] != UInt8(ascii: "\n") { end += 1 }
            let line = content.extracting(start..<end)
            if !line.isEmpty {
                guard let token = Self.token(line, rankLimit: rankLimit) else {
                    throw .malformed(path: path, reason: "line \(number) is not a token and a rank")
                }
                guard !isTaken[Int(token.rank)] else {
                    throw .malformed(path: path, reason: "line \(number) has the rank of another")
                }
                isTaken[Int(token.rank)] = true
                tokens.append(token)
            }
            start = end + 1
            number += 1
        }
    }

    /// The token of `line`, "IQ== 0"; nil if it has none.
    private static func token(_ line: Span<UInt8>, rankLimit: Int) -> Token? {
        var space = 0
        while space < line.count, line[space] != UInt8(ascii: " ") { space += 1 }
        guard let bytes = decodedBase64(line.extracting(..<space)),
            (1...tokenByteCountMax).contains(bytes.count), space + 1 < line.count
        else { return nil }
        var rank = 0
        for index in space + 1..<line.count {
            guard let digit = digit(line[index]) else { return nil }
            rank = 10 * rank + digit
            guard rank < rankLimit else { return nil }
        }
        return (TokenID(rank), bytes)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// The bytes of `text`, with its padding; nil if it is not base64.
    private static func decodedBase64(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") {
            length -= 1
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length * 3 / 4)
        var waiting = UInt32(0)
        var bitCount = 0
        for index in 0..<length {
            guard let value = base64Value(text[index]) else { return nil }
            waiting = waiting << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: waiting >> bitCount))
        }
        return bytes
    }

    private static func base64Value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
