// What a client knows of its user's list of conversations, as a value: pages, healing replies and events
// in, rows out. It touches no socket and no clock. Whatever order things come in, of each conversation
// the change with the greatest number counts; a number that is missing is noticed and asked for.

public import ChatProtocol

/// A user's list, newest activity first, as far as it is loaded.
///
/// Tell it of each `welcome`, and apply every event of the connection. Whenever `healingRequest` is
/// there, send it and apply its reply; `moreRequest` asks for the next page.
public struct ConversationListView: Sendable {
    /// The number up to which nothing was missed; nil before the first page.
    public private(set) var u: Int64?
    /// Where the next page begins; nil where all is loaded.
    public private(set) var cursor: String?

    /// What is known of each conversation.
    private var entries: [ConversationID: Entry] = [:]
    /// Changes that came while one before them was missing, as spans of numbers.
    private var ahead: [Span] = []
    /// The number that the last `welcome` named.
    private var announced: Int64 = 0
    /// The place of the last row that is loaded; nil where all is.
    private var horizon: Timestamp?
    private let pageLimit: Int

    private static let spansMax = 64
    private static let goneMax = 1000

    private struct Entry {
        var u: Int64
        /// Nil where it left the list: a page that was read before must not bring it back.
        var summary: Conversation?
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
        /// A conversation came, moved or changed.
        case listed(ConversationID)
        /// A conversation left the list.
        case unlisted(ConversationID)
    }

    /// A list that knows nothing yet.
    /// - Parameter pageLimit: how many rows to ask for at once, 1 to 200.
    public init(pageLimit: Int = 50) {
        self.pageLimit = pageLimit
    }

    // MARK: Reading

    /// The rows that are loaded, newest activity first.
    public var conversations: [Conversation] {
        let rows = entries.values.compactMap(\.summary).filter { summary in
            horizon.map { summary.updatedAt >= $0 } ?? true
        }
        return rows.sorted { one, other in
            (one.updatedAt, one.id.description) > (other.updatedAt, other.id.description)
        }
    }

    /// What is known of a conversation; nil where it is not in the list, or not loaded.
    public subscript(id: ConversationID) -> Conversation? { entries[id]?.summary }

    /// The `conversation.list` that brings this view up to date; nil where it is.
    public var healingRequest: ConversationListRequest? {
        guard let u else { return ConversationListRequest(limit: pageLimit) }
        guard announced > u || !ahead.isEmpty else { return nil }
        return ConversationListRequest(limit: pageLimit, after: u)
    }

    /// The `conversation.list` of the next page; nil where all is loaded.
    public var moreRequest: ConversationListRequest? {
        cursor.map { ConversationListRequest(cursor: $0, limit: pageLimit) }
    }

    // MARK: Applying

    /// Takes the number that a `welcome` names.
    public mutating func welcome(_ u: Int64) {
        announced = u
    }

    /// Forgets the numbers of another epoch. What is shown stays until the first page comes.
    public mutating func forgetNumbers() {
        u = nil
        ahead = []
        entries = entries.filter { $0.value.summary != nil }
        for id in entries.keys { entries[id]?.u = -1 }
    }

    /// Applies an event; those that are not of lists change nothing. What is told of teams only bears
    /// numbers of the list.
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
            // A page that was asked for before the list was loaded anew is not the next one.
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

    /// Takes a page in, and notes where the next one begins.
    private mutating func turn(to page: ConversationListReply) {
        for summary in page.conversations { _ = merge(summary.id, summary.u ?? page.u, summary) }
        cursor = page.cursor
        horizon = page.cursor == nil ? nil : page.conversations.last?.updatedAt
    }

    /// Takes what is newer than what is known.
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

    /// Notes that the changes of a span are known.
    private mutating func cover(_ span: Span) {
        guard span.u > u ?? -1 else { return }
        // More spans than that are dropped: the healing brings what they covered.
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
