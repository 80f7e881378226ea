// The texts of the BPE model as written in the file, and the lookup from text to token. Keys are
// bytes: no String is created or hashed during encoding.

import Checkpoints
import JSONText

/// The tokens of `model.vocab`.
struct Vocabulary: Sendable {
    /// The largest token id that a file may use; bounds the tables that are indexed by id.
    static let tokenMax = (1 << 21) - 1

    /// One more than the largest id.
    private(set) var idLimit = 0
    /// All texts, concatenated.
    private var bytes: [UInt8] = []
    /// The range of each id's text in `bytes`; ids without a token have an empty text.
    private var ranges: [TextRange] = []
    /// A hash table of ids: open addressing, at most half full.
    private var slots: [Slot] = []

    private struct TextRange {
        var start: UInt32
        var byteCount: UInt32
    }

    /// An id, -1 if free, with the upper half of its text's hash, which avoids most comparisons.
    private struct Slot {
        var hash: UInt32
        var token: TokenID
    }

    /// Reads `{"text": id, …}`.
    init(_ members: JSONObject, path: String) throws(TokenizerError) {
        for (text, value) in members {
            guard let id = value.integer, (0...Self.tokenMax).contains(id) else {
                throw .malformed(path: path, reason: "the id of \"\(text)\" is not in range")
            }
            idLimit = max(idLimit, id + 1)
        }
        ranges = [TextRange](repeating: TextRange(start: 0, byteCount: 0), count: idLimit)
        reserveSlots(members.count)
        for (text, value) in members {
            guard let id = value.integer, !text.isEmpty, ranges[id].byteCount == 0 else {
                throw .malformed(path: path, reason: "the vocabulary's \"\(text)\" has no own id")
            }
            add(text.utf8, TokenID(id))
        }
    }

    /// Takes `tokens` from `file`, in which their texts have these ranges.
    init(
        _ tokens: [(id: TokenID, text: Range<Int>)],
        in file: UnsafeRawBufferPointer,
        path: String
    ) throws(TokenizerError) {
        for (id, _) in tokens { idLimit = max(idLimit, Int(id) + 1) }
        ranges = [TextRange](repeating: TextRange(start: 0, byteCount: 0), count: idLimit)
        reserveSlots(tokens.count)
        for (id, range) in tokens {
            guard !range.isEmpty, token(file[range]) == nil else {
                throw .malformed(path: path, reason: "token \(id) has no text of its own")
            }
            add(file[range], id)
        }
    }

    private mutating func reserveSlots(_ count: Int) {
        var capacity = 16
        while capacity < count * 2 { capacity *= 2 }
        slots = [Slot](repeating: Slot(hash: 0, token: -1), count: capacity)
    }

    private mutating func add(_ text: some Sequence<UInt8>, _ id: TokenID) {
        let start = bytes.count
        bytes.append(contentsOf: text)
        ranges[Int(id)] = TextRange(start: UInt32(start), byteCount: UInt32(bytes.count - start))
        insert(id)
    }

    /// The token whose text is `text`.
    func token(_ text: Span<UInt8>) -> TokenID? {
        let hash = Self.hash(text)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot].token >= 0 {
            if slots[slot].hash == UInt32(hash >> 32), isEqual(text, slots[slot].token) {
                return slots[slot].token
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// The token whose text is `text`, fastest if it is `guess`.
    func token(_ text: Span<UInt8>, guess: TokenID) -> TokenID? {
        (0..<idLimit).contains(Int(guess)) && !text.isEmpty && isEqual(text, guess)
            ? guess : token(text)
    }

    /// The token whose text is `text`.
    func token(_ text: some Sequence<UInt8>) -> TokenID? { token(Array(text).span) }

    /// The bytes of the text of `token`; empty if there is none.
    func bytes(of token: TokenID) -> ArraySlice<UInt8> { range(token).map { bytes[$0] } ?? [] }

    /// The text of `token`; nil if there is none.
    func text(_ token: TokenID) -> String? {
        guard let range = range(token) else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func range(_ token: TokenID) -> Range<Int>? {
        let id = Int(token)
        guard (0..<idLimit).contains(id), ranges[id].byteCount > 0 else { return nil }
        return Int(ranges[id].start)..<Int(ranges[id].start + ranges[id].byteCount)
    }

    private mutating func insert(_ token: TokenID) {
        guard let range = range(token) else { return }
        // The text is not in the table yet: keys of a JSON object are distinct, and others were looked
        // up.
        let hash = Self.hash(bytes.span.extracting(range))
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot].token >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Slot(hash: UInt32(hash >> 32), token: token)
    }

    private func isEqual(_ text: Span<UInt8>, _ token: TokenID) -> Bool {
        let textRange = ranges[Int(token)]
        guard text.count == Int(textRange.byteCount) else { return false }
        for index in 0..<text.count where text[index] != bytes[Int(textRange.start) + index] {
            return false
        }
        return true
    }

    private static func hash(_ text: Span<UInt8>) -> UInt64 {
        text.bytes.withUnsafeBytes { ByteHash.hash($0) }
    }
}
