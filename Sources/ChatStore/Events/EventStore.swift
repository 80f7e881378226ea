// The live log: what happened in a conversation after a number, or, where that is too much, a snapshot.

public import ChatProtocol
import Digests
import FoundationEssentials
import Postgres

extension Store {
    /// What a watcher needs who has seen the events up to `after`.
    /// - Parameters:
    ///   - id: which conversation.
    ///   - after: the last event that the watcher has; nil for none.
    ///   - leaf: a message of the branch that the watcher shows, for a snapshot of it.
    ///   - have: for each growing answer that the watcher has part of, how many bytes, by its id.
    ///   - user: who watches.
    ///   - eventLimit: the most events that are told one by one; more make a snapshot.
    ///   - pageLimit: the most messages of a snapshot.
    /// - Returns: a reply. Its growing texts are what is stored of them; memory may know more.
    /// - Throws: `WireError.notFound` where the conversation is none of the user's.
    public func catchUp(
        _ id: ConversationID,
        after: Int64?,
        leaf: MessageID? = nil,
        have: [String: Int] = [:],
        for user: UserID,
        eventLimit: Int,
        pageLimit: Int
    ) async throws -> ConversationWatchReply {
        // The number is read before the rest: what is newer than it comes again as an event, and
        // is the same then.
        let conversation = try await conversations.conversation(id, for: user)
        // The growing texts too: who reads an end beside one knows that it grows no more.
        let growing = try await storedAnswers(in: id).map { answer in
            answer.rest(after: have[answer.message.description] ?? 0)
        }
        if let after, after >= 0, after <= conversation.n {
            let events = try await events(of: id, after: after, limit: eventLimit + 1)
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

    /// The durable events of a conversation after a number, told from the rows as they are now.
    public func events(
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
            .conversationUnlisted, .teamChanged, .teamLeft, .presenceChanged, .typing,
            .shareChanged, .lagged:
            throw WireError(.internalError, "an event was stored that should not have been")
        }
    }
}

extension MessageEnded {
    /// The end of an answer, told from its message.
    /// - Parameters:
    ///   - message: the answer in its final state.
    ///   - n: the event's number.
    ///   - repeatsText: whether the text is told again, for readers who missed its deltas.
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

    /// The name of the event for the state that an answer ended in.
    static func name(of state: MessageState) -> ServerEvent.Name {
        switch state {
        case .complete: .messageCompleted
        case .stopped: .messageStopped
        case .failed, .queued, .streaming: .messageFailed
        }
    }

    /// The event for the state that the answer ended in.
    static func event(_ message: Message, n: Int64, repeatsText: Bool) -> ServerEvent {
        let ended = MessageEnded(message, n: n, repeatsText: repeatsText)
        switch message.state {
        case .complete: return .messageCompleted(ended)
        case .stopped: return .messageStopped(ended)
        case .failed, .queued, .streaming: return .messageFailed(ended)
        }
    }
}
