// The decoded bytes of each token, precomputed in one array.

import Checkpoints
import ThinkingText

/// The pieces of all tokens, by id.
struct TokenPieces: Sendable {
    /// The kind of a token.
    enum Kind: UInt8 {
        /// No token has this id: it decodes to nothing.
        case none
        /// Part of the text.
        case text
        /// A byte of a run of bytes that is decoded as a whole.
        case byte
        /// A special token, which is not part of the text.
        case special
    }

    private var bytes: [UInt8] = []
    private var starts: [UInt32] = []
    private var kinds: [Kind] = []
    /// The number of ids with a token.
    private(set) var tokenCount = 0
    /// The maximum number of bytes of a piece.
    private(set) var byteCountMax = 1

    /// The pieces of the vocabulary and of the added tokens, which have precedence.
    init(_ vocabulary: Vocabulary, _ added: [AddedToken], _ rules: DecoderRules) {
        var addedByID: [TokenID: AddedToken] = [:]
        for token in added { addedByID[token.id] = token }
        let end = TokenID(vocabulary.idLimit)
        for ids in [Array(0..<end), addedByID.keys.filter { $0 >= end }.sorted()] {
            for id in ids {
                let token = addedByID[id]
                guard let text = token?.content ?? vocabulary.text(id) else { continue }
                let (piece, kind) = Self.piece(text, rules)
                let isSpecial = token?.isSpecial == true && !Self.isThinkingTag(text)
                add(piece, isSpecial ? .special : kind, as: id)
            }
        }
        starts.append(UInt32(bytes.count))
    }

    /// Adds the piece of `id`. Ids between the last one and this one have none.
    private mutating func add(_ piece: [UInt8], _ kind: Kind, as id: TokenID) {
        let start = UInt32(bytes.count)
        starts += repeatElement(start, count: Int(id) + 1 - starts.count)
        kinds += repeatElement(.none, count: Int(id) - kinds.count)
        kinds.append(kind)
        tokenCount += 1
        bytes += piece
        byteCountMax = max(byteCountMax, piece.count)
    }

    /// Whether a token is a tag of thinking parts. Some models have them as special tokens; an answer's
    /// text has them all the same, as it tells its parts apart by them.
    private static func isThinkingTag(_ text: String) -> Bool {
        text == ThinkingTags.opening || text == ThinkingTags.closing
    }

    /// The kind of `token`; `none` for unknown ids.
    func kind(_ token: TokenID) -> Kind {
        kinds.indices.contains(Int(token)) ? kinds[Int(token)] : .none
    }

    /// The bytes of `token`; empty for the kind `none`.
    func piece(_ token: TokenID) -> ArraySlice<UInt8> {
        guard kind(token) != .none else { return [] }
        return bytes[Int(starts[Int(token)])..<Int(starts[Int(token) + 1])]
    }

    private static func piece(_ text: String, _ rules: DecoderRules) -> ([UInt8], Kind) {
        switch rules {
        case .byteLevel:
            return (ByteAlphabet.decode(text), .text)
        case .byteFallback(let replacements, _):
            var piece = Array(text.utf8)
            for (pattern, content) in replacements {
                piece = Normalizer.replace(pattern, content, in: piece)
            }
            if let byte = fallbackByte(piece) { return ([byte], .byte) }
            return (piece, .text)
        }
    }

    /// 10 for "<0x0A>".
    private static func fallbackByte(_ text: [UInt8]) -> UInt8? {
        guard text.count == 6, text.starts(with: "<0x".utf8), text[5] == UInt8(ascii: ">") else {
            return nil
        }
        return UInt8(String(decoding: text[3..<5], as: UTF8.self), radix: 16)
    }
}
