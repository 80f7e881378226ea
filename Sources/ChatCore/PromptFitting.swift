// Fits a branch into a model's context: whole turns, from the newest back.

/// The newest turns of a branch that fit, encoded.
struct PromptFitting {
    /// The index in the branch of the first message that is included.
    private(set) var first: Int
    /// All tokens, with the messages before the branch and the template.
    private(set) var tokens: [Int32]
    /// The number of tokens of each message: first those before the branch, then those from `first`
    /// on.
    private(set) var counts: [Int]

    /// Includes as many turns as fit.
    /// - Parameters:
    ///   - branch: the messages, newest last; not empty.
    ///   - head: messages before the branch, which are always included.
    ///   - limit: maximum tokens.
    ///   - encoding: the model's encoding.
    /// - Throws: `.newestTurnTooLong` if not even one turn fits.
    init(
        _ branch: [PromptMessage],
        after head: [PromptMessage],
        limit: Int,
        _ encoding: any PromptEncoding
    ) throws(PromptError) {
        let fromNewest = try encoding.parts.flatMap { parts throws(PromptError) in
            try Self(branch, after: head, limit: limit, parts)
        }
        if let fromNewest {
            self = fromNewest
        } else {
            try self.init(encodingAll: branch, after: head, limit: limit, encoding)
        }
    }

    /// Encodes all messages, then drops turns from the oldest on.
    private init(
        encodingAll branch: [PromptMessage],
        after head: [PromptMessage],
        limit: Int,
        _ encoding: any PromptEncoding
    ) throws(PromptError) {
        let whole = encoding.encode(head + branch)
        let turns = Self.turnStarts(in: branch)
        var start = 0
        var tokenCount = whole.tokens.count
        while tokenCount > limit {
            guard let next = turns.first(where: { $0 > start }) else {
                throw .newestTurnTooLong(tokens: tokenCount, limit: limit)
            }
            for index in start..<next {
                tokenCount -= whole.messageTokenCounts[head.count + index]
            }
            start = next
        }
        let encoded = start == 0 ? whole : encoding.encode(head + branch[start...])
        first = start
        (tokens, counts) = (encoded.tokens, encoded.messageTokenCounts)
    }

    /// Encodes messages one by one from the newest back, until a turn does not fit. Encodes no more
    /// of the dropped messages than could have fitted.
    /// - Returns: nil if a message cannot be encoded alone.
    private init?(
        _ branch: [PromptMessage],
        after head: [PromptMessage],
        limit: Int,
        _ parts: any PromptPartEncoding
    ) throws(PromptError) {
        var headParts: [[Int32]] = []
        for (index, message) in head.enumerated() {
            guard let part = parts.encode(message, isFirst: index == 0, isLast: false) else {
                return nil
            }
            headParts.append(part)
        }
        var used = headParts.reduce(parts.opening.count + parts.closing.count) { $0 + $1.count }
        var turns: [(start: Int, parts: [[Int32]])] = []
        for start in Self.turnStarts(in: branch).reversed() {
            let turn = branch[start..<(turns.last?.start ?? branch.count)]
            let room = turns.isEmpty ? Int.max : limit - used
            guard turn.reduce(0, { $0 + parts.tokenCountMin(of: $1.text) }) <= room else { break }
            var encoded: [[Int32]] = []
            for index in turn.indices.reversed() {
                let isLast = index == branch.count - 1
                guard let part = parts.encode(branch[index], isFirst: false, isLast: isLast) else {
                    return nil
                }
                encoded.insert(part, at: 0)
            }
            let count = encoded.reduce(0) { $0 + $1.count }
            guard count <= room else { break }
            used += count
            turns.append((start, encoded))
            if used > limit { break }
        }
        if head.isEmpty, parts.dependsOnPosition {
            // The first included message is encoded as such, which can make it longer.
            repeat {
                guard let last = turns.last else { return nil }
                let isLast = last.start == branch.count - 1
                guard let part = parts.encode(branch[last.start], isFirst: true, isLast: isLast)
                else { return nil }
                used += part.count - last.parts[0].count
                turns[turns.count - 1].parts[0] = part
                guard used > limit, turns.count > 1 else { break }
                used -= turns.removeLast().parts.reduce(0) { $0 + $1.count }
            } while true
        }
        guard let oldest = turns.last, used <= limit else {
            throw .newestTurnTooLong(tokens: used, limit: limit)
        }
        first = oldest.start
        let all = headParts + turns.reversed().flatMap(\.parts)
        tokens = parts.opening + all.joined() + parts.closing
        counts = all.map(\.count)
    }

    /// A turn begins with a user's message. A message whose answer failed is a turn of its own:
    /// joined with the next message, one that is too long for the context would make that one fail
    /// as well.
    private static func turnStarts(in branch: [PromptMessage]) -> [Int] {
        branch.indices.filter { $0 == 0 || branch[$0].role == "user" }
    }
}
