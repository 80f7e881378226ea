// Finds added tokens in text, from left to right and the longest first, with a trie. A match
// includes the white space that the token strips.

import Checkpoints

/// A trie of all added tokens of a file.
struct AddedTokenFinder: Sendable {
    /// An added token in a text.
    struct Match {
        let token: TokenID
        /// The start of the token's own text.
        let textStart: Int
        /// The matched bytes, including stripped white space.
        let range: Range<Int>
    }

    /// All added tokens.
    let tokens: [AddedToken]
    /// From node and byte to node; the root is 0.
    private var children: [UInt64: Int] = [:]
    /// The bytes with which a token can start.
    private var firstBytes = [Bool](repeating: false, count: 256)
    /// The index in `tokens` of the token that ends at a node.
    private var ends: [Int?] = [nil]

    /// Creates a finder for `tokens`; of two with the same text the later one is used.
    init(_ tokens: [AddedToken]) {
        self.tokens = tokens
        for (index, token) in tokens.enumerated() {
            var node = 0
            for byte in token.content.utf8 {
                if node == 0 { firstBytes[Int(byte)] = true }
                node = child(node, byte) ?? addChild(node, byte)
            }
            ends[node] = index
        }
    }

    /// Creates a finder for those of `tokens` that are white space; nil if there are none.
    init?(whiteSpaceOf tokens: [AddedToken]) {
        let whiteSpace = tokens.filter(\.isWhiteSpace)
        guard !whiteSpace.isEmpty else { return nil }
        self.init(whiteSpace)
    }

    /// All matches whose texts lie within one of `ranges`, which ascend.
    ///
    /// Only the tokens' own texts must be within a range: stripped white space may be anywhere, as
    /// in the reference, for which all of `text` is one range.
    func matches(in text: [UInt8], within ranges: [Range<Int>]) -> [Match] {
        var matches: [Match] = []
        for range in ranges {
            var offset = range.lowerBound
            while offset < range.upperBound {
                guard firstBytes[Int(text[offset])],
                    let (index, end) = longest(text, offset..<range.upperBound)
                else {
                    offset += 1
                    continue
                }
                let previousEnd = matches.last?.range.upperBound ?? 0
                if previousEnd <= offset {
                    matches.append(match(tokens[index], text, offset..<end, after: previousEnd))
                }
                offset = end
            }
        }
        return matches
    }

    /// The longest token at the start of `range`, and its end.
    private func longest(_ text: [UInt8], _ range: Range<Int>) -> (index: Int, end: Int)? {
        var node = 0
        var found: (Int, Int)?
        for offset in range {
            guard let next = child(node, text[offset]) else { break }
            node = next
            if let index = ends[node] { found = (index, offset + 1) }
        }
        return found
    }

    /// The match of `token` at `range`, extended over the white space that it strips, but not into
    /// the previous match.
    private func match(
        _ token: AddedToken,
        _ text: [UInt8],
        _ range: Range<Int>,
        after previousEnd: Int
    ) -> Match {
        var start = range.lowerBound
        var end = range.upperBound
        if token.stripsLeft {
            while let space = ScalarClass.spaces.first(where: {
                text[previousEnd..<start].suffix($0.count).elementsEqual($0)
            }) {
                start -= space.count
            }
        }
        if token.stripsRight {
            while let space = ScalarClass.spaces.first(where: { text[end...].starts(with: $0) }) {
                end += space.count
            }
        }
        return Match(token: token.id, textStart: range.lowerBound, range: start..<end)
    }

    private func child(_ node: Int, _ byte: UInt8) -> Int? {
        children[UInt64(node) << 8 | UInt64(byte)]
    }

    private mutating func addChild(_ node: Int, _ byte: UInt8) -> Int {
        ends.append(nil)
        children[UInt64(node) << 8 | UInt64(byte)] = ends.count - 1
        return ends.count - 1
    }
}
