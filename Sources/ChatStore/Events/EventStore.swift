// The event log: a conversation's events after a number, or a snapshot if there are too many.

public import ChatProtocol
import Digests
import FoundationEssentials
import Postgres

/// The event logs of conversations.
public struct EventStore {
    let pool: StorePool
    let conversations: ConversationStore
    let messages: MessageStore
    let runs: RunStore

    /// The state for a subscriber that has the events up to `after`.
    /// - Parameters:
    ///   - id: the conversation.
    ///   - after: the subscriber's last event; nil for none.
    ///   - leaf: a message of the branch that the subscriber shows, for a snapshot of it.
    ///   - have: bytes that the subscriber has of running answers, by their ids.
    ///   - user: the user.
    ///   - eventLimit: maximum events; if there are more, the reply is a snapshot.
    ///   - pageLimit: maximum messages of a snapshot.
    /// - Returns: a reply. Its texts of running answers are the stored checkpoints; memory may have
    ///   more.
    /// - Throws: `WireError.notFound` if the user is not a member of the conversation.
    public func catchUp(
        _ id: ConversationID,
        after: Int64?,
        leaf: MessageID? = nil,
        have: [String: Int] = [:],
        for user: UserID,
        eventLimit: Int,
        pageLimit: Int
    ) async throws -> ConversationWatchReply {
        // The number is read first: what is newer comes again as an event, with the same content.
        let conversation = try await conversations.conversation(id, for: user)
        // Running texts before events: if an answer ends in between, its end event comes last.
        let growing = try await runs.storedAnswers(in: id).map { answer in
            answer.rest(after: have[answer.message.description] ?? 0)
        }
        if let after, after >= 0, after <= conversation.n {
            let events = try await list(of: id, after: after, limit: eventLimit + 1)
            if events.count <= eventLimit {
                let n = max(conversation.n, events.last?.n ?? 0)
                return ConversationWatchReply(n: n, events: events, growing: growing)
            }
        }
        let choice = try await messages.branchChoice(of: user, in: id)
        var last: MessageID?
        if let leaf { last = try await messages.leaf(through: leaf, in: id) }
        if last == nil { last = try await messages.shownLeaf(choice, in: id) }
        let page = try await messages.page(of: id, endingAt: last, limit: pageLimit)
        return ConversationWatchReply(
            n: conversation.n,
            snapshot: ConversationSnapshot(
                conversation: conversation,
                messages: page.messages,
                more: page.more,
                selected: choice.selected
            ),
            growing: growing
        )
    }

    /// The durable events of a conversation after a number, built from the current rows.
    public func list(
        of id: ConversationID,
        after: Int64,
        limit: Int
    ) async throws -> [ServerEvent] {
        let rows = try await pool.query(
            """
            SELECT e.n, e.name, e.payload::text, \(MessageSelection.wireColumns)
            FROM events e
            LEFT JOIN messages m
                ON m.conversation_id = e.conversation_id AND m.id = e.message_id
            \(MessageSelection.author)
            WHERE e.conversation_id = $1 AND e.n > $2
            ORDER BY e.n LIMIT $3
            """,
            [.uuid(id), .int64(after), .int64(Int64(limit))]
        )
        return try rows.map { try ServerEvent(row: $0, in: id) }
    }
}

extension ServerEvent {
    /// Reads a row of `events`, its message joined.
    fileprivate init(row: PostgresRow, in id: ConversationID) throws {
        let n = try row.decode("n", as: Int64.self)
        func payload<Payload: Decodable>(_ type: Payload.Type) throws -> Payload {
            guard let payload = try row.json("payload", as: type) else {
                throw WireError(.internalError, "an event has no payload")
            }
            return payload
        }
        func ended() throws -> MessageEnded {
            MessageEnded(try Message(row: row), n: n, repeatsText: true)
        }
        switch try row.word("name", as: ServerEvent.Name.self) {
        case .messageCreated:
            let message = try Message(wireRow: row)
            self = .messageCreated(MessageCreated(conversation: id, n: n, message: message))
        case .messageCompleted: self = .messageCompleted(try ended())
        case .messageStopped: self = .messageStopped(try ended())
        case .messageFailed: self = .messageFailed(try ended())
        case .messageDeleted: self = .messageDeleted(try payload(MessageDeleted.self))
        case .messageRestored: self = .messageRestored(try payload(MessageRestored.self))
        case .messageFeedback: self = .messageFeedback(try payload(MessageFeedback.self))
        case .conversationUpdated:
            let changed = try payload(ConversationChange.self)
            self = .conversationUpdated(
                ConversationUpdated(conversation: id, n: n, changed: changed)
            )
        case .conversationDeleted:
            self = .conversationDeleted(ConversationDeleted(conversation: id, n: n))
        case .memberChanged: self = .memberChanged(try payload(MemberChanged.self))
        case .welcome, .modelChanged, .modelRemoved, .messageQueued, .messageStarted,
            .messageProgress, .messageRestarted, .messageDelta, .conversationListed,
            .conversationUnlisted, .teamChanged, .teamLeft, .foldersChanged, .presenceChanged,
            .typing, .shareChanged, .lagged:
            throw WireError(.internalError, "an event was stored that should not have been")
        }
    }
}

extension MessageEnded {
    /// The end event of an answer, built from its message.
    /// - Parameters:
    ///   - message: the answer in its final state.
    ///   - n: the event's number.
    ///   - repeatsText: whether to include the text, for readers who missed its deltas.
    init(_ message: Message, n: Int64, repeatsText: Bool) {
        self.init(
            conversation: message.conversation,
            n: n,
            message: message.id,
            run: message.run ?? RunID(message.id.uuid),
            to: message.text.utf8.count,
            sha256: SHA256.digest(of: message.text).hexadecimal,
            text: repeatsText ? message.text : nil,
            usage: message.usage,
            finish: message.finish ?? .error,
            error: message.error
        )
    }

    /// The name of the event for an answer's final state.
    static func name(of state: MessageState) -> ServerEvent.Name {
        switch state {
        case .complete: .messageCompleted
        case .stopped: .messageStopped
        case .failed, .queued, .streaming: .messageFailed
        }
    }

    /// The event for an answer's final state.
    static func event(_ message: Message, n: Int64, repeatsText: Bool) -> ServerEvent {
        let ended = MessageEnded(message, n: n, repeatsText: repeatsText)
        switch message.state {
        case .complete: return .messageCompleted(ended)
        case .stopped: return .messageStopped(ended)
        case .failed, .queued, .streaming: return .messageFailed(ended)
        }
    }
}
