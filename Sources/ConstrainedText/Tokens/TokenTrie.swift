// The tokens of a vocabulary as a prefix tree, flat in memory: nodes in preorder, so that a walk
// reads forward, and a subtree is a range of nodes and of tokens.

/// The tokens of a vocabulary by their bytes. Built once for each model, and shared.
public struct TokenTrie: Sendable {
    /// The number of characters of a subtree with tokens that are not whole characters without
    /// special meaning.
    static let special: UInt8 = 255

    /// One more than the largest token id.
    public let tokenLimit: Int
    /// A node with its subtree.
    struct Node {
        /// The node after the subtree.
        var end: Int32
        /// Where the subtree's tokens start in `tokens`; those of the node itself come first.
        var firstToken: Int32
        /// The last byte of the node's text.
        var byte: UInt8
        /// The most characters that a token of the subtree adds from this byte on, if all of them
        /// are whole and in `ScalarSet.plain`; otherwise `special`.
        var plainCount: UInt8
        /// The number of characters of the node's text, if all are whole and plain; otherwise
        /// `special`.
        var plainPath: UInt8
    }

    /// The root, its descendants, and one more node for the end of the tokens.
    private var nodes = [
        Node(end: 0, firstToken: 0, byte: 0, plainCount: Self.special, plainPath: 0)
    ]
    /// The ids, in the order of their nodes.
    private var tokens: [Int32] = []
    /// The plain tokens.
    private var plainMask = TokenMask(tokenLimit: 0)
    /// The same, those with the most characters first, with their numbers of characters.
    private var plainLongest: [(token: Int32, count: UInt8)] = []
    /// The children of the root, by their byte; 0 for none.
    private var roots = [Int32](repeating: 0, count: 256)
    /// The bytes of each token, by id.
    private var pieces: [UInt8] = []
    private var pieceStarts: [Int32] = []

    /// Whether each byte is a token.
    private(set) var hasAllBytes = false
    /// Whether the text of an answer is without a space that its first token starts with.
    let dropsLeadingSpace: Bool

    /// Builds the tree. Takes about 0.2 s for 200,064 tokens.
    /// - Parameters:
    ///   - tokenLimit: one more than the largest id.
    ///   - dropsLeadingSpace: whether decoding removes a space at the start of a text.
    ///   - piece: the bytes of a token; empty for ids that must not be in an answer.
    public init(
        tokenLimit: Int,
        dropsLeadingSpace: Bool = false,
        piece: (Int32) -> some Collection<UInt8>
    ) {
        self.tokenLimit = tokenLimit
        self.dropsLeadingSpace = dropsLeadingSpace
        for id in 0..<Int32(tokenLimit) {
            pieceStarts.append(Int32(pieces.count))
            pieces += piece(id)
        }
        pieceStarts.append(Int32(pieces.count))
        build(sortedTokens())
        findPlainTokens()
        hasAllBytes = roots.allSatisfy { $0 != 0 && hasToken(Int($0)) }
    }

    /// The bytes of a token; empty for one that must not be in an answer.
    func piece(_ token: Int32) -> ArraySlice<UInt8> {
        guard (0..<tokenLimit).contains(Int(token)) else { return [] }
        return pieces[Int(pieceStarts[Int(token)])..<Int(pieceStarts[Int(token) + 1])]
    }

    // MARK: - Walks

    /// The nodes in preorder with one more for the end of the tokens, and the ids in their order.
    func withNodes(
        _ body: (UnsafeBufferPointer<Node>, UnsafeBufferPointer<Int32>) -> Void
    ) {
        nodes.withUnsafeBufferPointer { nodes in
            tokens.withUnsafeBufferPointer { body(nodes, $0) }
        }
    }

    // MARK: - Building

    /// The ids with bytes, in the order of their bytes.
    private func sortedTokens() -> [Int32] {
        var ids = (0..<Int32(tokenLimit)).filter { !piece($0).isEmpty }
        pieces.withUnsafeBufferPointer { bytes in
            pieceStarts.withUnsafeBufferPointer { starts in
                ids.sort { one, two in
                    let (first, firstEnd) = (Int(starts[Int(one)]), Int(starts[Int(one) + 1]))
                    let (second, secondEnd) = (Int(starts[Int(two)]), Int(starts[Int(two) + 1]))
                    let common = min(firstEnd - first, secondEnd - second)
                    var index = 0
                    while index < common, bytes[first + index] == bytes[second + index] {
                        index += 1
                    }
                    if index < common { return bytes[first + index] < bytes[second + index] }
                    let (count, otherCount) = (firstEnd - first, secondEnd - second)
                    return count == otherCount ? one < two : count < otherCount
                }
            }
        }
        return ids
    }

    private mutating func build(_ sorted: [Int32]) {
        // The nodes from the root to the token before.
        var path: [Int32] = [0]
        var earlier: ArraySlice<UInt8> = []
        for token in sorted {
            let piece = piece(token)
            let common = zip(piece, earlier).prefix { $0 == $1 }.count
            close(&path, to: common + 1)
            for byte in piece.dropFirst(common) {
                let node = Int32(nodes.count)
                if path.count == 1 { roots[Int(byte)] = node }
                path.append(node)
                nodes.append(
                    Node(
                        end: 0,
                        firstToken: Int32(tokens.count),
                        byte: byte,
                        plainCount: 0,
                        plainPath: Self.special
                    )
                )
            }
            tokens.append(token)
            count(piece, along: path)
            earlier = piece
        }
        close(&path, to: 0)
        nodes.append(
            Node(
                end: 0,
                firstToken: Int32(tokens.count),
                byte: 0,
                plainCount: Self.special,
                plainPath: Self.special
            )
        )
    }

    /// Notes which nodes and tokens are plain.
    private mutating func findPlainTokens() {
        plainMask = TokenMask(tokenLimit: tokenLimit)
        for token in tokens {
            guard let count = plainCount(of: token) else { continue }
            plainMask.insert(token)
            plainLongest.append((token, count))
        }
        plainLongest.sort { $0.count > $1.count }
    }

    /// The number of characters of a plain token.
    private func plainCount(of token: Int32) -> UInt8? {
        guard let text = String(validating: piece(token), as: UTF8.self) else { return nil }
        let scalars = text.unicodeScalars
        guard scalars.count < Self.special,
            scalars.allSatisfy({ ScalarSet.plain.contains($0.value) })
        else { return nil }
        return UInt8(scalars.count)
    }

    /// The plain tokens of up to `count` characters.
    func plainTokens(upTo count: UInt8) -> TokenMask {
        var (border, high) = (0, plainLongest.count)
        while border < high {
            let middle = (border + high) / 2
            if plainLongest[middle].count > count { border = middle + 1 } else { high = middle }
        }
        guard border > plainLongest.count / 2 else {
            var mask = plainMask
            for (token, _) in plainLongest[..<border] { mask.remove(token) }
            return mask
        }
        var mask = TokenMask(tokenLimit: tokenLimit)
        for (token, _) in plainLongest[border...] { mask.insert(token) }
        return mask
    }

    /// Ends the nodes of a path from `depth` on.
    private mutating func close(_ path: inout [Int32], to depth: Int) {
        while path.count > depth { nodes[Int(path.removeLast())].end = Int32(nodes.count) }
    }

    /// Counts the plain characters of a token for the nodes on its path.
    private mutating func count(_ piece: ArraySlice<UInt8>, along path: [Int32]) {
        let path = path.dropFirst()
        guard let text = String(validating: piece, as: UTF8.self) else {
            for node in path { nodes[Int(node)].plainCount = Self.special }
            return
        }
        notePlainPaths(text, along: path)
        var left = 0
        var isPlain = true
        var index = path.endIndex
        for scalar in text.unicodeScalars.reversed() {
            left += 1
            isPlain = isPlain && ScalarSet.plain.contains(scalar.value) && left < Self.special
            let size = UTF8.width(scalar)
            for continuation in index - size + 1..<index {
                nodes[Int(path[continuation])].plainCount = Self.special
            }
            index -= size
            let node = Int(path[index])
            nodes[node].plainCount =
                isPlain ? max(nodes[node].plainCount, UInt8(left)) : Self.special
        }
    }

    /// Notes the plain texts that a token starts with.
    private mutating func notePlainPaths(_ text: String, along path: ArraySlice<Int32>) {
        var (index, count) = (path.startIndex, 0)
        for scalar in text.unicodeScalars {
            count += 1
            guard ScalarSet.plain.contains(scalar.value), count < Self.special else { return }
            index += UTF8.width(scalar)
            nodes[Int(path[index - 1])].plainPath = UInt8(count)
        }
    }

    // MARK: - Shortest ways

    /// For each position of `text`, how few tokens its rest takes, and one more entry, 0, for the
    /// end; `GrammarCosts.never` where it takes a byte that no token has.
    func fewestTokens(_ text: some Collection<UInt8>) -> [Int32] {
        let text = Array(text)
        var counts = [Int32](repeating: GrammarCosts.never, count: text.count + 1)
        counts[text.count] = 0
        for start in text.indices.reversed() {
            follow(text[start...]) { _, end in
                counts[start] = min(counts[start], GrammarCosts.sum(1, counts[end]))
            }
        }
        return counts
    }

    /// The first of the fewest tokens of `text`.
    func firstToken(_ text: some Collection<UInt8>) -> Int32? {
        let text = Array(text)
        let counts = fewestTokens(text)
        var first: Int32?
        follow(text[...]) { token, end in
            if GrammarCosts.sum(1, counts[end]) == counts[0] { first = token }
        }
        return first
    }

    /// Calls `visit` with each token that `text` starts with, and where its bytes end.
    private func follow(_ text: ArraySlice<UInt8>, _ visit: (Int32, Int) -> Void) {
        guard let first = text.first, roots[Int(first)] != 0 else { return }
        var node = Int(roots[Int(first)])
        var position = text.startIndex + 1
        while true {
            // The node's own tokens come before those of its children.
            if hasToken(node) { visit(tokens[Int(nodes[node].firstToken)], position) }
            guard position < text.endIndex else { return }
            var child = node + 1
            while child < Int(nodes[node].end), nodes[child].byte != text[position] {
                child = Int(nodes[child].end)
            }
            guard child < Int(nodes[node].end) else { return }
            node = child
            position += 1
        }
    }

    /// Whether a node is the end of a token.
    private func hasToken(_ node: Int) -> Bool {
        nodes[node + 1].firstToken > nodes[node].firstToken
    }
}
