// The texts of the BPE model, as the file writes them, and the way back from text to token. Keyed
// by bytes: no String is made or hashed while text is encoded.

import Checkpoints

/// The tokens of `model.vocab`.
struct Vocabulary: Sendable {
    /// The largest token id that a file may use; bounds the tables that are indexed by id.
    static let tokenMax = (1 << 21) - 1

    /// One more than the largest id.
    private(set) var idLimit = 0
    /// All texts, one behind the other.
    private var bytes: [UInt8] = []
    /// Where the text of an id begins in `bytes`; ids without a token have an empty text.
    private var starts: [UInt32] = []
    private var byteCounts: [UInt32] = []
    /// A hash table of ids: open addressing, at most half full, -1 where free.
    private var slots: [TokenID] = []

    /// Reads `{"text": id, …}`.
    init(_ members: JSONObject, path: String) throws(TokenizerError) {
        for (text, value) in members {
            guard let id = value.integer, (0...Self.tokenMax).contains(id) else {
                throw .malformed(path: path, reason: "the id of \"\(text)\" is not in range")
            }
            idLimit = max(idLimit, id + 1)
        }
        starts = [UInt32](repeating: 0, count: idLimit)
        byteCounts = starts
        var capacity = 16
        while capacity < members.count * 2 { capacity *= 2 }
        slots = [TokenID](repeating: -1, count: capacity)
        for (text, value) in members {
            guard let id = value.integer, !text.isEmpty, byteCounts[id] == 0 else {
                throw .malformed(path: path, reason: "the vocabulary's \"\(text)\" has no own id")
            }
            starts[id] = UInt32(bytes.count)
            bytes.append(contentsOf: text.utf8)
            byteCounts[id] = UInt32(bytes.count) - starts[id]
            insert(TokenID(id))
        }
    }

    /// The token whose text is `text`.
    func token(_ text: Span<UInt8>) -> TokenID? {
        var slot = firstSlot(text)
        while slots[slot] >= 0 {
            if isEqual(text, slots[slot]) { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// The token whose text is `text`.
    func token(_ text: some Sequence<UInt8>) -> TokenID? { token(Array(text).span) }

    /// The text of `token`; nil where there is none.
    func text(_ token: TokenID) -> String? {
        guard let range = range(token) else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func range(_ token: TokenID) -> Range<Int>? {
        let id = Int(token)
        guard (0..<idLimit).contains(id), byteCounts[id] > 0 else { return nil }
        return Int(starts[id])..<Int(starts[id] + byteCounts[id])
    }

    private mutating func insert(_ token: TokenID) {
        guard let range = range(token) else { return }
        // Keys of a JSON object differ, so the text is not in the table yet.
        var slot = firstSlot(bytes.span.extracting(range))
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = token
    }

    private func isEqual(_ text: Span<UInt8>, _ token: TokenID) -> Bool {
        let start = Int(starts[Int(token)])
        guard text.count == Int(byteCounts[Int(token)]) else { return false }
        for index in 0..<text.count where text[index] != bytes[start + index] { return false }
        return true
    }

    private func firstSlot(_ text: Span<UInt8>) -> Int {
        // Swift's hash is seeded per process, so a file cannot be made to collide.
        var hasher = Hasher()
        text.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize() & (slots.count - 1)
    }
}
