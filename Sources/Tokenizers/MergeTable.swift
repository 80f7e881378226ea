// The merges of byte-pair encoding: a hash table whose keys are two token ids packed into 64 bits.

import Checkpoints
import JSONText

/// The merges of a BPE model.
struct MergeTable: Sendable {
    /// The result of a merge.
    struct Merge {
        /// Lower ranks are merged first.
        let rank: UInt32
        /// The merged token.
        let token: TokenID

        /// The value for pairs that are not in the table.
        static let never = Merge(rank: .max, token: 0)
    }

    /// Key and value together, so that a lookup accesses one cache line.
    private struct Slot {
        var key: UInt64
        var merge: Merge
    }

    /// Open addressing, at most half full.
    private var slots: [Slot]
    /// Whether no merge joins "▁" to a token before it. Then a text can be split before each "▁"
    /// that follows another character without changing the result, which is faster.
    private(set) var keepsWordsApart = false
    /// All ranks are lower than this.
    let rankLimit: Int
    /// A slot index is the top bits of key times multiplier.
    private let shift: UInt64
    /// Random, so that no file can be crafted to cause collisions.
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private static let freeKey = UInt64.max
    /// "▁" in UTF-8: the space in front of a word.
    static let wordStart = Array("▁".utf8)

    /// Creates a table for up to `count` merges.
    private init(count: Int) {
        rankLimit = count
        var bits = 4
        while 1 << bits < count * 2 { bits += 1 }
        shift = UInt64(64 - bits)
        let free = Slot(key: Self.freeKey, merge: Merge(rank: 0, token: 0))
        slots = [Slot](repeating: free, count: 1 << bits)
    }

    /// Reads `merges`, each written `"a b"` or `["a", "b"]`; earlier ones have lower ranks.
    init(
        _ list: [JSONValue],
        _ vocabulary: Vocabulary,
        path: String
    ) throws(TokenizerError) {
        self.init(count: list.count)
        keepsWordsApart = vocabulary.token(Self.wordStart) != nil
        var merged: [UInt8] = []
        // In most vocabularies the ids are in the order of the merges.
        var guess = TokenID(0)
        for (rank, element) in list.enumerated() {
            guard let split = Self.parts(element, into: &merged) else {
                throw .malformed(path: path, reason: "merge \(rank) is not a pair of tokens")
            }
            try add(merged, split, rank: rank, vocabulary, &guess, path: path)
        }
    }

    /// Reads `merges`, ranges of `file` with texts "a b".
    init(
        _ merges: [Range<Int>],
        in file: UnsafeRawBufferPointer,
        _ vocabulary: Vocabulary,
        path: String
    ) throws(TokenizerError) {
        self.init(count: merges.count)
        keepsWordsApart = vocabulary.token(Self.wordStart) != nil
        var merged: [UInt8] = []
        var guess = TokenID(0)
        for (rank, range) in merges.enumerated() {
            merged.removeAll(keepingCapacity: true)
            merged.append(contentsOf: file[range])
            guard let split = Self.removeSpace(from: &merged) else {
                throw .malformed(path: path, reason: "merge \(rank) is not a pair of tokens")
            }
            try add(merged, split, rank: rank, vocabulary, &guess, path: path)
        }
    }

    /// The merges of a vocabulary without any, SentencePiece's or tiktoken's: two tokens whose texts
    /// together are a token's are merged to it, those with the highest score first.
    init(_ vocabulary: Vocabulary, scores: [Float]) {
        var products: [(score: Float, token: TokenID)] = []
        for id in 0..<TokenID(vocabulary.idLimit) where !vocabulary.bytes(of: id).isEmpty {
            products.append((scores[Int(id)], id))
        }
        // NaN is lowest; of equal scores the lower id is first.
        products.sort { left, right in
            left.score == right.score || left.score.isNaN && right.score.isNaN
                ? left.token < right.token : left.score > right.score || right.score.isNaN
        }
        var pairs: [(TokenID, TokenID, Merge)] = []
        for (rank, product) in products.enumerated() {
            let text = Array(vocabulary.bytes(of: product.token))
            for split in text.indices.dropFirst() where text[split] & 0xC0 != 0x80 {
                guard let left = vocabulary.token(text.span.extracting(first: split)),
                    let right = vocabulary.token(text.span.extracting(droppingFirst: split))
                else { continue }
                pairs.append((left, right, Merge(rank: UInt32(rank), token: product.token)))
            }
        }
        self.init(count: max(pairs.count, products.count))
        keepsWordsApart = vocabulary.token(Self.wordStart) != nil
        for (left, right, merge) in pairs {
            if joinsWords(vocabulary.bytes(of: left), vocabulary.bytes(of: right)) {
                keepsWordsApart = false
            }
            insert(left, right, merge)
        }
    }

    /// Adds the merge of the first `split` bytes of `merged` with the others. `guess` is the token
    /// that it probably makes.
    private mutating func add(
        _ merged: [UInt8],
        _ split: Int,
        rank: Int,
        _ vocabulary: Vocabulary,
        _ guess: inout TokenID,
        path: String
    ) throws(TokenizerError) {
        let text = merged.span
        guard let left = vocabulary.token(text.extracting(first: split)),
            let right = vocabulary.token(text.extracting(droppingFirst: split)),
            let token = vocabulary.token(text, guess: guess)
        else {
            throw .malformed(
                path: path,
                reason: "merge \(rank) has or makes a token that is not in the vocabulary"
            )
        }
        guess = token + 1
        if joinsWords(merged[..<split], merged[split...]) { keepsWordsApart = false }
        insert(left, right, Merge(rank: UInt32(rank), token: token))
    }

    /// Whether a merge of these two joins a "▁" to a token that ends with another character.
    private func joinsWords(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        right.starts(with: Self.wordStart)
            && !left.suffix(Self.wordStart.count).elementsEqual(Self.wordStart)
    }

    /// The merge of `left` and `right`, or `never`.
    func merge(_ left: TokenID, _ right: TokenID) -> Merge {
        let key = Self.key(left, right)
        var index = firstSlot(key)
        while slots[index].key != key {
            if slots[index].key == Self.freeKey { return .never }
            index = (index + 1) & (slots.count - 1)
        }
        return slots[index].merge
    }

    /// All tokens that are results of merges.
    var products: some Sequence<TokenID> {
        slots.lazy.filter { $0.key != Self.freeKey }.map(\.merge.token)
    }

    /// If a merge is listed twice the later one is used, as in the reference.
    private mutating func insert(_ left: TokenID, _ right: TokenID, _ merge: Merge) {
        let key = Self.key(left, right)
        var index = firstSlot(key)
        while slots[index].key != Self.freeKey, slots[index].key != key {
            index = (index + 1) & (slots.count - 1)
        }
        slots[index] = Slot(key: key, merge: merge)
    }

    private func firstSlot(_ key: UInt64) -> Int { Int((key &* multiplier) >> shift) }

    private static func key(_ left: TokenID, _ right: TokenID) -> UInt64 {
        UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
    }

    /// Removes the only space of `merged` and returns its place.
    private static func removeSpace(from merged: inout [UInt8]) -> Int? {
        guard let space = merged.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        merged.remove(at: space)
        return merged.contains(UInt8(ascii: " ")) ? nil : space
    }

    /// Writes both parts of a merge to `merged`; returns the length of the left one.
    private static func parts(_ element: JSONValue, into merged: inout [UInt8]) -> Int? {
        merged.removeAll(keepingCapacity: true)
        switch element {
        case .string(let text):
            merged.append(contentsOf: text.utf8)
            return removeSpace(from: &merged)
        case .array(let pair):
            guard pair.count == 2, let left = pair[0].string, let right = pair[1].string else {
                return nil
            }
            merged.append(contentsOf: left.utf8)
            merged.append(contentsOf: right.utf8)
            return left.utf8.count
        default:
            return nil
        }
    }
}
