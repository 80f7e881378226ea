// Finds added tokens in text: at each place the longest one, from left to right, by a trie. The
// white space that a token swallows is part of its match.

import Checkpoints

/// A trie of all added tokens of a file.
struct AddedTokenFinder: Sendable {
    /// An added token in a text.
    struct Match {
        let token: TokenID
        /// Where its own text begins.
        let textStart: Int
        /// The bytes that it takes up, white space that it swallows included.
        let range: Range<Int>
    }

    /// All added tokens.
    let tokens: [AddedToken]
    /// From node and byte to node; the root is 0.
    private var children: [UInt64: Int] = [:]
    /// Which bytes a token can begin with.
    private var firstBytes = [Bool](repeating: false, count: 256)
    /// The index in `tokens` of the token that ends at a node.
    private var ends: [Int?] = [nil]

    /// A finder of `tokens`; of two with the same text the later one counts.
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

    /// All matches whose texts lie within one of `ranges`, which ascend.
    ///
    /// Only the tokens' own texts must lie there: the white space that they swallow may be anywhere,
    /// as it may in the reference, for which all of `text` is one range.
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

    /// The longest token that `text` has at the start of `range`, and where it ends.
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

    /// The match of `token` at `range`, extended over the white space that it swallows, but not
    /// over what belongs to the match before it.
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
