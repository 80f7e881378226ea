// Operations on the subscription to a conversation.

extension Operation {
    /// Subscribes to a conversation, and fills the gap since an event number.
    public static var conversationWatch: Operation<ConversationWatchRequest, ConversationWatchReply>
    {
        .init(
            "conversation.watch",
            requires: .conversation(.read),
            scope: .read,
            takes: "`conversation`, `after?`, `have?`, `leaf?`",
            replies: "`{n, events? or snapshot?, growing}`",
            examples: [
                ConversationWatchRequest(conversation: .example(1)),
                ConversationWatchRequest(
                    conversation: .example(1),
                    after: 7,
                    have: ["01890a5d-ac96-7003-8000-000000000003": 128],
                    leaf: .example(3)
                ),
            ]
        )
    }

    /// Ends the subscription to a conversation.
    public static var conversationUnwatch: Operation<ConversationRequest, EmptyReply> {
        .init(
            "conversation.unwatch",
            requires: .signedIn,
            scope: .read,
            takes: "`conversation`",
            replies: "`{}`",
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }

    /// Notifies the other subscribers that the user is typing.
    public static var typing: Operation<ConversationRequest, EmptyReply> {
        .init(
            "typing",
            requires: .conversation(.write),
            scope: .write,
            takes: "`conversation`",
            replies: "`{}`; other subscribers are notified, at most every two seconds",
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }
}

extension OperationDefinition {
    static let watches: [OperationDefinition] = [
        .init(.conversationWatch),
        .init(.conversationUnwatch),
        .init(.typing),
    ]
}

// MARK: Requests and replies

/// `conversation.watch`: subscribes, and fills the gap since the client's last event.
public struct ConversationWatchRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The last event number that the client has seen.
    public var after: Int64?
    /// For each running answer of which the client has text: up to which byte, by message id.
    public var have: [String: Int]?
    /// A message of the branch that the client shows, of which a snapshot is returned. If absent or
    /// deleted, it is the branch that the user selected last.
    public var leaf: MessageID?

    /// Creates a request.
    public init(
        conversation: ConversationID,
        after: Int64? = nil,
        have: [String: Int]? = nil,
        leaf: MessageID? = nil
    ) {
        self.conversation = conversation
        self.after = after
        self.have = have
        self.leaf = leaf
    }
}

/// A conversation with its newest page of messages.
public struct ConversationSnapshot: Codable, Sendable {
    /// The conversation.
    public var conversation: Conversation
    /// Its newest messages along the shown branch, oldest first.
    public var messages: [Message]
    /// Whether there are older messages.
    public var more: Bool
    /// The branch that the user selected; nil if they see the newest one.
    public var selected: MessageID?

    /// Creates a snapshot.
    public init(
        conversation: Conversation,
        messages: [Message],
        more: Bool,
        selected: MessageID? = nil
    ) {
        self.conversation = conversation
        self.messages = messages
        self.more = more
        self.selected = selected
    }
}

/// The text of a running answer that the client lacks.
public struct GrowingAnswer: Codable, Sendable {
    /// The answer.
    public var message: MessageID
    /// Its run.
    public var run: RunID
    /// Where `text` begins, in UTF-8 bytes of the answer.
    public var at: Int
    /// Where it ends.
    public var to: Int
    /// The text between them.
    public var text: String

    /// Creates an answer's text.
    public init(message: MessageID, run: RunID, at: Int, to: Int, text: String) {
        self.message = message
        self.run = run
        self.at = at
        self.to = to
        self.text = text
    }
}

/// The reply of `conversation.watch`: the events after the client's number, or a snapshot.
public struct ConversationWatchReply: Codable, Sendable {
    /// The number of the last durable event that is contained in this reply.
    public var n: Int64
    /// The durable events after `after`; absent if they are too many or unknown.
    public var events: [ServerEvent]?
    /// The whole state, if `events` is absent.
    public var snapshot: ConversationSnapshot?
    /// The running answers, each from where the client's text ends.
    public var growing: [GrowingAnswer]

    /// Creates a reply.
    public init(
        n: Int64,
        events: [ServerEvent]? = nil,
        snapshot: ConversationSnapshot? = nil,
        growing: [GrowingAnswer]
    ) {
        self.n = n
        self.events = events
        self.snapshot = snapshot
        self.growing = growing
    }
}
