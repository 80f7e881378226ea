// Operations on conversations.

extension Operation {
    /// Creates a conversation.
    public static var conversationCreate: Operation<ConversationCreateRequest, ConversationReply> {
        .init(
            "conversation.create",
            requires: .signedIn,
            allowed: "signed in; with `team`, its members except viewers",
            scope: .write,
            takes: """
                `key`, `title?`, `system_prompt?` or [`library?`](#libraries-of-prompts) `{prompt, \
                version?}`, `model?`, `settings?`, `context_policy?`, `team?`, `expires_in?` \
                (seconds, 60 to a year: [temporary](../use/life-cycle.md))
                """,
            replies: "`{conversation}`",
            examples: [
                ConversationCreateRequest(key: "k-1"),
                ConversationCreateRequest(
                    key: "k-1",
                    title: "Tea",
                    systemPrompt: "Be kind.",
                    model: "demo",
                    settings: .example,
                    contextPolicy: .dropOldest,
                    team: .example(10),
                    expiresIn: 86_400
                ),
                ConversationCreateRequest(
                    key: "k-2",
                    library: LibraryChoice(prompt: .example(13), version: 3)
                ),
            ]
        )
    }

    /// Gets one conversation.
    public static var conversationGet: Operation<ConversationRequest, ConversationReply> {
        .init(
            "conversation.get",
            requires: .conversation(.read),
            scope: .read,
            takes: "`conversation`",
            replies: "`{conversation}`",
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }

    /// Changes the fields of a conversation that are present in the request.
    public static var conversationUpdate: Operation<ConversationUpdateRequest, ConversationReply> {
        .init(
            "conversation.update",
            requires: .conversation(.change),
            allowed: "owner, editor; `open`: owner",
            scope: .write,
            takes: """
                `conversation`, `title?`, `system_prompt?` (null: the server's) or `library?` \
                `{prompt, version?}`, `model?`, `settings?`, `context_policy?`, `open?`
                """,
            replies: "`{conversation}`",
            examples: [
                ConversationUpdateRequest(conversation: .example(1), title: "Green tea"),
                ConversationUpdateRequest(
                    conversation: .example(1),
                    title: "Green tea",
                    systemPrompt: "Be brief.",
                    model: "demo",
                    settings: .example
                ),
                ConversationUpdateRequest(
                    conversation: .example(1),
                    usesServerPrompt: true,
                    contextPolicy: .refuse
                ),
                ConversationUpdateRequest(conversation: .example(1), open: true),
                ConversationUpdateRequest(
                    conversation: .example(1),
                    library: LibraryChoice(prompt: .example(13))
                ),
            ]
        )
    }

    /// Deletes a conversation for everybody.
    public static var conversationDelete: Operation<ConversationRequest, EmptyReply> {
        .init(
            "conversation.delete",
            requires: .conversation(.delete),
            scope: .write,
            takes: "`conversation`",
            replies: "`{}`; it can be [restored](../use/life-cycle.md) for some days",
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }

    /// Pins a conversation, first in the user's own list, or unpins it.
    public static var conversationPin: Operation<ConversationPinRequest, EmptyReply> {
        .init(
            "conversation.pin",
            requires: .conversation(.read),
            scope: .write,
            takes: "`conversation`, `pinned`",
            replies: """
                `{}`; first in the user's own list, or back among the others; an archived one \
                returns to the list; at most 50: `limit_exceeded`; idempotent
                """,
            examples: [ConversationPinRequest(conversation: .example(1), pinned: true)]
        )
    }

    /// Copies the branch that ends at a message into a conversation of the user's own.
    public static var conversationFork: Operation<ConversationForkRequest, ConversationReply> {
        .init(
            "conversation.fork",
            requires: .conversation(.read),
            scope: .write,
            takes: "`conversation`, `key`, `message`, `title?`",
            replies: """
                `{conversation}`: a copy of the branch that ends at `message`, owned by the user; \
                `busy` while an answer on it is generated
                """,
            examples: [
                ConversationForkRequest(
                    conversation: .example(1),
                    key: "k-1",
                    message: .example(3),
                    title: "Tea, again"
                )
            ]
        )
    }

    /// Marks a conversation as read up to an event.
    public static var conversationRead: Operation<ConversationReadRequest, ConversationReadReply> {
        .init(
            "conversation.read",
            requires: .conversation(.read),
            scope: .read,
            takes: "`conversation`, `n`",
            replies: "`{unread}`",
            examples: [ConversationReadRequest(conversation: .example(1), n: 12)]
        )
    }
}

extension OperationDefinition {
    static let conversations: [OperationDefinition] = [
        .init(.conversationList),
        .init(.conversationCreate),
        .init(.conversationGet),
        .init(.conversationUpdate),
        .init(.conversationDelete),
        .init(.conversationPin),
        .init(.conversationFork),
        .init(.conversationRead),
    ]
}

// MARK: Requests and replies

/// `conversation.read`: marks a conversation as read up to an event.
public struct ConversationReadRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The number of the last event that was read; a higher one counts as the last event's.
    public var n: Int64

    /// Creates a request.
    public init(conversation: ConversationID, n: Int64) {
        self.conversation = conversation
        self.n = n
    }
}

/// `conversation.create`.
public struct ConversationCreateRequest: Codable, Sendable {
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// Its title; by default, it is taken from the first message.
    public var title: String?
    /// Its system prompt; the server's by default.
    public var systemPrompt: String?
    /// A library prompt as its system prompt; excludes `systemPrompt`.
    public var library: LibraryChoice?
    /// The model that answers; the server's default if absent.
    public var model: String?
    /// The generation settings.
    public var settings: GenerationSettings?
    /// What happens when the history exceeds the context; by default, its oldest turns are left
    /// out.
    public var contextPolicy: ContextPolicy?
    /// The team that it belongs to; absent for none.
    public var team: TeamID?
    /// Seconds until it is permanently deleted; absent for never.
    public var expiresIn: Int?

    /// Creates a request.
    public init(
        key: String,
        title: String? = nil,
        systemPrompt: String? = nil,
        library: LibraryChoice? = nil,
        model: String? = nil,
        settings: GenerationSettings? = nil,
        contextPolicy: ContextPolicy? = nil,
        team: TeamID? = nil,
        expiresIn: Int? = nil
    ) {
        self.key = key
        self.team = team
        self.title = title
        self.systemPrompt = systemPrompt
        self.library = library
        self.model = model
        self.settings = settings
        self.contextPolicy = contextPolicy
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case key, title, library, model, settings, team
        case systemPrompt = "system_prompt"
        case contextPolicy = "context_policy"
        case expiresIn = "expires_in"
    }
}

/// The request of operations that only name a conversation, such as `conversation.get`, `.delete`,
/// `.unwatch`, `.join`, `share.list` and `typing`.
public struct ConversationRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID

    /// Creates a request.
    public init(conversation: ConversationID) {
        self.conversation = conversation
    }
}

/// `conversation.fork`: copies the branch that ends at a message into the user's own conversation.
public struct ConversationForkRequest: Codable, Sendable {
    /// The conversation to copy from.
    public var conversation: ConversationID
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// The last message of the copy.
    public var message: MessageID
    /// The copy's title; by default, the title of the original.
    public var title: String?

    /// Creates a request.
    public init(
        conversation: ConversationID,
        key: String,
        message: MessageID,
        title: String? = nil
    ) {
        self.conversation = conversation
        self.key = key
        self.message = message
        self.title = title
    }
}

/// `conversation.pin`: pins a conversation in the user's own list, or unpins it.
public struct ConversationPinRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// Whether to pin it.
    public var pinned: Bool

    /// Creates a request.
    public init(conversation: ConversationID, pinned: Bool) {
        self.conversation = conversation
        self.pinned = pinned
    }
}

/// The reply of `conversation.read`.
public struct ConversationReadReply: Codable, Sendable {
    /// Number of messages of others that are still unread.
    public var unread: Int

    /// Creates a reply.
    public init(unread: Int) {
        self.unread = unread
    }
}

/// The reply of operations that return one conversation.
public struct ConversationReply: Codable, Sendable {
    /// The conversation in its current state.
    public var conversation: Conversation

    /// Creates a reply.
    public init(conversation: Conversation) {
        self.conversation = conversation
    }
}
