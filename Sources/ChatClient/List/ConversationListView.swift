// A client's state of its user's list of conversations, as a value: pages, changes and events go in, rows
// come out. It uses no socket and no clock. Messages may arrive in any order: for each conversation the
// change with the greatest number counts, and a missing number is detected and requested.

public import ChatProtocol

/// A user's list, pinned conversations first, then most recent activity first, as far as it is loaded.
///
/// Pass it each `welcome` and every event of the connection. Whenever `resyncRequest` is not nil, send it
/// and apply its reply; `moreRequest` requests the next page.
public struct ConversationListView: Sendable {
    /// The number up to which all changes are known; nil before the first page.
    public private(set) var u: Int64?
    /// The cursor of the next page; nil if all is loaded.
    public private(set) var cursor: String?

    /// The known state of each conversation.
    private var entries: [ConversationID: Entry] = [:]
    /// Changes that arrived before a missing one, as spans of numbers.
    private var ahead: [Span] = []
    /// The number in the last `welcome`.
    private var announced: Int64 = 0
    /// The position of the last loaded row; nil if all rows are loaded.
    private var horizon: Position?
    private let pageLimit: Int

    private static let spansMax = 64
    private static let goneMax = 1000

    private struct Entry {
        var u: Int64
        /// Nil if it left the list: a page that was read earlier must not restore it.
        var summary: Conversation?
    }

    /// Where a row stands among the others. Rows with the same position follow by their ids.
    private struct Position: Comparable {
        var isPinned: Bool
        var activity: Timestamp

        init(_ summary: Conversation) {
            isPinned = summary.pinned == true
            activity = summary.updatedAt
        }

        static func < (one: Position, other: Position) -> Bool {
            one.isPinned == other.isPinned ? one.activity < other.activity : other.isPinned
        }
    }

    /// The numbers above `after`, up to `u`.
    private struct Span {
        var after: Int64
        var u: Int64
    }

    /// What applying an event or a reply changed.
    public enum Change: Sendable, Hashable {
        /// Everything may have changed.
        case reloaded
        /// A conversation was added, moved or changed.
        case listed(ConversationID)
        /// A conversation left the list.
        case unlisted(ConversationID)
    }

    /// An empty list.
    /// - Parameter pageLimit: rows per page, 1 to 200.
    public init(pageLimit: Int = 50) {
        self.pageLimit = pageLimit
    }

    // MARK: Reading

    /// The loaded rows, pinned ones first, then most recent activity first.
    public var conversations: [Conversation] {
        let rows = entries.values.compactMap(\.summary).filter { summary in
            horizon.map { Position(summary) >= $0 } ?? true
        }
        return rows.sorted { one, other in
            (Position(one), one.id.description) > (Position(other), other.id.description)
        }
    }

    /// A conversation's row; nil if it is not in the list, or not loaded.
    public subscript(id: ConversationID) -> Conversation? { entries[id]?.summary }

    /// The `conversation.list` request that updates this view; nil if it is up to date.
    public var resyncRequest: ConversationListRequest? {
        guard let u else { return ConversationListRequest(limit: pageLimit) }
        guard announced > u || !ahead.isEmpty else { return nil }
        return ConversationListRequest(limit: pageLimit, after: u)
    }

    /// The `conversation.list` request of the next page; nil if all is loaded.
    public var moreRequest: ConversationListRequest? {
        cursor.map { ConversationListRequest(cursor: $0, limit: pageLimit) }
    }

    // MARK: Applying

    /// Applies the number in a `welcome`.
    public mutating func welcome(_ u: Int64) {
        announced = u
    }

    /// Drops the numbers of a previous epoch. The rows stay until the first page arrives.
    public mutating func forgetNumbers() {
        u = nil
        ahead = []
        entries = entries.filter { $0.value.summary != nil }
        for id in entries.keys { entries[id]?.u = -1 }
    }

    /// Applies an event; events that do not concern lists have no effect. Events about
    /// teams and folders only carry numbers of the list.
    /// - Returns: what changed.
    public mutating func apply(_ event: ServerEvent) -> [Change] {
        switch event {
        case .conversationListed(let listed):
            cover(Span(after: listed.after, u: listed.u))
            return merge(listed.conversation, listed.u, listed.summary)
        case .conversationUnlisted(let unlisted):
            cover(Span(after: unlisted.after, u: unlisted.u))
            return merge(unlisted.conversation, unlisted.u, nil)
        case .teamChanged(let changed):
            cover(Span(after: changed.after, u: changed.u))
            return []
        case .teamLeft(let left):
            cover(Span(after: left.after, u: left.u))
            return []
        case .foldersChanged(let changed):
            cover(Span(after: changed.after, u: changed.u))
            return []
        default:
            return []
        }
    }

    /// Applies the reply of a request that this view made.
    /// - Returns: what changed.
    public mutating func apply(
        _ reply: ConversationListReply,
        to request: ConversationListRequest
    ) -> [Change] {
        if request.cursor != nil {
            // Ignores a page that was requested before the list was reloaded.
            guard request.cursor == cursor else { return [] }
            turn(to: reply)
            return [.reloaded]
        }
        if let after = request.after, reply.reset != true {
            var changes: [Change] = []
            for gone in reply.unlisted ?? [] { changes += merge(gone.conversation, gone.u, nil) }
            for summary in reply.conversations {
                changes += merge(summary.id, summary.u ?? reply.u, summary)
            }
            cover(Span(after: after, u: reply.u))
            return changes
        }
        entries = entries.filter { $0.value.u > reply.u }
        turn(to: reply)
        u = max(u ?? 0, reply.u)
        closeGaps()
        return [.reloaded]
    }

    /// Applies a page, and stores the next page's cursor.
    private mutating func turn(to page: ConversationListReply) {
        for summary in page.conversations { _ = merge(summary.id, summary.u ?? page.u, summary) }
        cursor = page.cursor
        horizon = page.cursor == nil ? nil : page.conversations.last.map(Position.init)
    }

    /// Applies a row that is newer than the known one.
    private mutating func merge(
        _ id: ConversationID,
        _ u: Int64,
        _ summary: Conversation?
    ) -> [Change] {
        if let known = entries[id], known.u >= u { return [] }
        entries[id] = Entry(u: u, summary: summary)
        guard summary == nil else { return [.listed(id)] }
        let gone = entries.filter { $0.value.summary == nil }
        if gone.count > Self.goneMax, let oldest = gone.min(by: { $0.value.u < $1.value.u }) {
            entries[oldest.key] = nil
        }
        return [.unlisted(id)]
    }

    /// Marks the changes of a span as known.
    private mutating func cover(_ span: Span) {
        guard span.u > u ?? -1 else { return }
        // Further spans are dropped: the next resynchronization covers them.
        if ahead.count < Self.spansMax { ahead.append(span) }
        closeGaps()
    }

    private mutating func closeGaps() {
        guard var reached = u else { return }
        ahead.sort { $0.after < $1.after }
        while let next = ahead.first, next.after <= reached {
            reached = max(reached, next.u)
            ahead.removeFirst()
        }
        u = reached
    }
}
