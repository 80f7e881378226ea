// Executes a search: chooses the statement that finds visible messages fastest.
// docs/develop/search.md says what each one costs.

import ChatCore
import ChatProtocol
import Postgres

/// The end of a page: its phase, and its last message.
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

/// How much the asker can see of the requested messages.
enum SearchScope {
    /// These conversations, with about so many messages in total.
    case listed([ConversationID], messageCount: Int64)
    /// Too many conversations to count.
    case wide

    /// The conversations, if they are few.
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

/// A matching message.
struct SearchHit {
    let conversation: ConversationID
    let message: MessageID
    let phase: SearchConditions.Phase
}

/// A search during its transaction.
struct RunningSearch {
    let transaction: StoreTransaction
    let conditions: SearchConditions
    let scope: SearchScope
    let bounds: SearchBounds

    func page(after cursor: SearchCursor?, limit: Int) async throws -> SearchReply {
        // If the asker can see few messages, all are read: no choice is needed.
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

    /// The conversations to read completely: all that the asker can see, if they are small.
    private var readConversations: [ConversationID]? {
        guard case .listed(let conversations, let messageCount) = scope,
            messageCount <= bounds.readMax
        else { return nil }
        return conversations
    }

    /// The newest matching messages of a phase.
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

    /// Reads everything that the asker can see.
    private func read(
        _ phase: SearchConditions.Phase,
        _ statement: SearchStatement,
        count: Int
    ) async throws -> [SearchHit] {
        guard let conversations = readConversations, !conversations.isEmpty else { return [] }
        var reading = statement
        // Prevents a bitmap scan of the text index for each conversation.
        try transaction.send("SELECT set_config('enable_bitmapscan', 'off', true)")
        let sql = reading.reading(conversations, count: count)
        return try await hits(sql, reading, phase)
    }

    /// Uses the index; if it would return many messages, one time slice after another.
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
        // The statistics do not say how common a piece is.
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

    /// How many of the newest messages to read for a page; nil if they are not expected to be
    /// sufficient.
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
        // Of the messages with all words of a phrase, few contain the phrase.
        if conditions.hasComparisons(phase) { part /= 10 }
        // Reading stops when the page is full; so the expected number must only be about
        // sufficient.
        return part * Double(walkMax) >= Double(count) * 1.5 ? walkMax : nil
    }

    /// The fraction of all messages that the asker can see; 1 if it was not counted.
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
