// A search on its way: which statement finds what the asker may see soonest. docs/develop/search.md says what each
// way costs.

import ChatCore
import ChatProtocol
import Postgres

/// Where a page ended: in which phase, and at which message.
struct SearchCursor: CustomStringConvertible {
    let phase: SearchConditions.Phase
    let message: MessageID

    init(phase: SearchConditions.Phase, message: MessageID) {
        self.phase = phase
        self.message = message
    }

    init(_ text: String) throws {
        guard let phase = text.first.flatMap(SearchConditions.Phase.init),
            let message = MessageID(String(text.dropFirst()))
        else { throw WireError(.badRequest, "invalid cursor: list again without one") }
        self.init(phase: phase, message: message)
    }

    var description: String { "\(phase.rawValue)\(message)" }
}

/// How much the asker may see of what they ask for.
enum SearchScope {
    /// These conversations, with about so many messages.
    case listed([ConversationID], messageCount: Int64)
    /// More than are worth counting.
    case wide

    /// The conversations, where they are few.
    var conversations: [ConversationID]? {
        if case .listed(let conversations, _) = self { conversations } else { nil }
    }

    init(_ rows: PostgresRows, listedMax: Int) throws {
        guard rows.count <= listedMax else {
            self = .wide
            return
        }
        var count: Int64 = 0
        let ids = try rows.map { row in
            count += try row.decode("event_number", as: Int64.self)
            return try row.id("id", of: Conversation.self)
        }
        self = .listed(ids, messageCount: count)
    }
}

/// A message that was found.
struct SearchHit {
    let conversation: ConversationID
    let message: MessageID
    let phase: SearchConditions.Phase
}

/// One search on its way.
struct RunningSearch {
    let transaction: StoreTransaction
    let conditions: SearchConditions
    let scope: SearchScope
    let bounds: SearchBounds

    func page(after cursor: SearchCursor?, limit: Int) async throws -> SearchReply {
        // Those who see little have it read: nothing has to be chosen.
        let estimates =
            readConversations == nil
            ? try await transaction.estimates(of: conditions.askable) : nil
        var hits: [SearchHit] = []
        if cursor?.phase != .pieces {
            hits = try await find(.words, estimates, before: cursor?.message, count: limit + 1)
        }
        if hits.count <= limit, conditions.hasPieces {
            let before = cursor?.phase == .pieces ? cursor?.message : nil
            hits += try await find(
                .pieces,
                estimates,
                before: before,
                count: limit + 1 - hits.count
            )
        }
        let page = hits.prefix(limit)
        let last = page.last.map { SearchCursor(phase: $0.phase, message: $0.message) }
        return SearchReply(
            results: try await transaction.results(of: Array(page), conditions),
            cursor: hits.count > limit ? last?.description : nil
        )
    }

    /// The conversations that are read whole: all that the asker sees, where that is little.
    private var readConversations: [ConversationID]? {
        guard case .listed(let conversations, let messageCount) = scope,
            messageCount <= bounds.readMax
        else { return nil }
        return conversations
    }

    /// The newest messages of a phase.
    private func find(
        _ phase: SearchConditions.Phase,
        _ estimates: SearchEstimates?,
        before: MessageID?,
        count: Int
    ) async throws -> [SearchHit] {
        let statement = SearchStatement(conditions, phase, before: before)
        guard let estimates else { return try await read(phase, statement, count: count) }
        if let rowCount = rowsToWalk(phase, estimates, count: count) {
            var walk = statement
            let sql = walk.walking(past: rowCount, in: scope.conversations, count: count)
            let walked = try await hits(sql, walk, phase)
            if walked.count == count { return walked }
        }
        return try await look(phase, statement, estimates, before: before, count: count)
    }

    /// Reads all that the asker sees.
    private func read(
        _ phase: SearchConditions.Phase,
        _ statement: SearchStatement,
        count: Int
    ) async throws -> [SearchHit] {
        guard let conversations = readConversations, !conversations.isEmpty else { return [] }
        var reading = statement
        // Not the index for each of the conversations.
        try transaction.send("SELECT set_config('enable_bitmapscan', 'off', true)")
        let sql = reading.reading(conversations, count: count)
        return try await hits(sql, reading, phase)
    }

    /// Asks the index, for one stretch of time after another where it would name many messages.
    private func look(
        _ phase: SearchConditions.Phase,
        _ statement: SearchStatement,
        _ estimates: SearchEstimates,
        before: MessageID?,
        count: Int
    ) async throws -> [SearchHit] {
        let entries = conditions.entries(phase)
        let asked = estimates.worthAsking(
            Set(conditions.askable),
            visible: visiblePart(of: estimates.messageCount)
        )
        // Nobody knows how common a piece is.
        let isCommon =
            (phase == .pieces ? estimates.messageCount : estimates.count(of: entries))
            > bounds.sliceMin
        let isSliced = isCommon && scope.conversations == nil && conditions.from == nil
        let slices =
            isSliced
            ? SearchSlice.slices(
                phase == .pieces ? 2 : 3,
                before: conditions.to ?? before?.time ?? .now
            ) : [.all]
        var found: [SearchHit] = []
        for slice in slices where found.count < count {
            var look = statement
            let sql = look.looking(
                for: asked,
                in: scope.conversations,
                slice: slice,
                count: count - found.count
            )
            found += try await hits(sql, look, phase)
        }
        return found
    }

    /// How many of the newest messages are read to see whether they hold a page; nil where it is to be
    /// expected that they do not.
    private func rowsToWalk(
        _ phase: SearchConditions.Phase,
        _ estimates: SearchEstimates,
        count: Int
    ) -> Int? {
        let isListed = scope.conversations != nil
        if phase == .pieces {
            guard conditions.mayHaveCommonPieces else { return nil }
            return isListed ? bounds.listedPieceWalkMax : bounds.pieceWalkMax
        }
        let walkMax = isListed ? bounds.listedWalkMax : bounds.walkMax
        let total = estimates.messageCount
        var part = estimates.count(of: conditions.namedEntries(phase)) / total
        part *= visiblePart(of: total)
        // Of the messages that hold all words of a phrase, few hold it.
        if conditions.hasComparisons(phase) { part /= 10 }
        // Reading ends with the page; so what is expected has to be about enough, and no more.
        return part * Double(walkMax) >= Double(count) * 1.5 ? walkMax : nil
    }

    /// Which part of all messages the asker sees; all, where that was not counted.
    private func visiblePart(of total: Double) -> Double {
        guard case .listed(_, let messageCount) = scope else { return 1 }
        return min(1, Double(messageCount) / total)
    }

    private func hits(
        _ sql: String,
        _ statement: SearchStatement,
        _ phase: SearchConditions.Phase
    ) async throws -> [SearchHit] {
        try await transaction.query(sql, statement.values).map { row in
            SearchHit(
                conversation: try row.id("conversation_id", of: Conversation.self),
                message: try row.id("id", of: Message.self),
                phase: phase
            )
        }
    }
}
