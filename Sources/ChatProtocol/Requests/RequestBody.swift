// What each operation takes. Unknown fields are ignored; a missing or mistyped one is `bad_request`.

/// `auth`: the first frame of a client that could not send its token with the handshake.
public struct AuthRequest: Codable, Sendable {
    /// A bearer token.
    public var token: String

    /// Puts a request together.
    public init(token: String) {
        self.token = token
    }
}

/// `conversation.list`: pages of the asker's conversations, newest activity first; or what changed in
/// the list after a number.
public struct ConversationListRequest: Codable, Sendable {
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?
    /// The last number of the list that the client has: asks for what changed since.
    public var after: Int64?
    /// Whether those are asked for that the asker has archived; else those in sight.
    public var archived: Bool?

    /// Puts a request together.
    public init(
        cursor: String? = nil,
        limit: Int? = nil,
        after: Int64? = nil,
        archived: Bool? = nil
    ) {
        self.cursor = cursor
        self.limit = limit
        self.after = after
        self.archived = archived
    }
}

/// `conversation.read`: the asker has read a conversation up to an event.
public struct ConversationReadRequest: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The number of the last event that was read; one beyond the last counts as the last.
    public var n: Int64

    /// Puts a request together.
    public init(conversation: ConversationID, n: Int64) {
        self.conversation = conversation
        self.n = n
    }
}

/// `conversation.create`.
public struct ConversationCreateRequest: Codable, Sendable {
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// What to call it; without one it takes its title from its first message.
    public var title: String?
    /// What the model is told first; without one, the server's own.
    public var systemPrompt: String?
    /// The same, from a library; excludes `systemPrompt`.
    public var library: LibraryChoice?
    /// Which model answers; without one, the server's first.
    public var model: String?
    /// How answers are made.
    public var settings: GenerationSettings?
    /// What becomes of a history that is too long; without one, its oldest turns are left out.
    public var contextPolicy: ContextPolicy?
    /// The team that it belongs to; without one it belongs to its members alone.
    public var team: TeamID?
    /// After how many seconds it is deleted for good; never without one.
    public var expiresIn: Int?

    /// Puts a request together.
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

/// `conversation.get`, `.delete`, `.unwatch`, `.join`, `share.list` and `typing`: what names a conversation
/// and nothing else.
public struct ConversationRequest: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID

    /// Puts a request together.
    public init(conversation: ConversationID) {
        self.conversation = conversation
    }
}

/// `conversation.watch`: subscribes and heals in one step.
public struct ConversationWatchRequest: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The last event number that the client has seen.
    public var after: Int64?
    /// For each growing answer that the client has part of, up to which byte (by message id).
    public var have: [String: Int]?
    /// A message of the branch that the client shows: a snapshot is of that branch. Without one, and
    /// where it was deleted, it is of the branch that the user chose last.
    public var leaf: MessageID?

    /// Puts a request together.
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

/// `member.add`.
public struct MemberAddRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The teammate's name.
    public var user: String
    /// What they may do; `editor` without one.
    public var role: Role?

    /// Puts a request together.
    public init(conversation: ConversationID, user: String, role: Role? = nil) {
        self.conversation = conversation
        self.user = user
        self.role = role
    }
}

/// `member.remove`: of another by an owner, or of oneself.
public struct MemberRemoveRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Who.
    public var user: UserID

    /// Puts a request together.
    public init(conversation: ConversationID, user: UserID) {
        self.conversation = conversation
        self.user = user
    }
}

/// `message.list`: the page of a branch that ends before a message.
public struct MessageListRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The message that the page ends before; without one, the newest page.
    public var before: MessageID?
    /// A message of the branch whose newest page is wanted; without one, the branch that the user
    /// sees. Means nothing beside `before`.
    public var leaf: MessageID?
    /// How many at most.
    public var limit: Int?

    /// Puts a request together.
    public init(
        conversation: ConversationID,
        before: MessageID? = nil,
        leaf: MessageID? = nil,
        limit: Int? = nil
    ) {
        self.conversation = conversation
        self.before = before
        self.leaf = leaf
        self.limit = limit
    }
}

/// `message.send`.
public struct MessageSendRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// What the user says.
    public var text: String
    /// The very message that it follows, whatever else follows that one already.
    public var parent: MessageID?
    /// A message of the branch that it goes to the end of. Without this and `parent`, it goes to the
    /// end of the branch that the user sees.
    public var leaf: MessageID?
    /// How urgent the answer is; `interactive` without one.
    public var priority: MessagePriority?

    /// Puts a request together.
    public init(
        conversation: ConversationID,
        key: String,
        text: String,
        parent: MessageID? = nil,
        leaf: MessageID? = nil,
        priority: MessagePriority? = nil
    ) {
        self.conversation = conversation
        self.key = key
        self.text = text
        self.parent = parent
        self.leaf = leaf
        self.priority = priority
    }
}

/// `generation.stop`: idempotent.
public struct GenerationStopRequest: Codable, Sendable {
    /// The answer to end.
    public var message: MessageID
    /// The byte up to which its reader had got; the answer ends there.
    public var seen: Int?

    /// Puts a request together.
    public init(message: MessageID, seen: Int? = nil) {
        self.message = message
        self.seen = seen
    }
}

/// `model.pull`: for administrators.
public struct ModelPullRequest: Codable, Sendable {
    /// A short name, or `org/name`.
    public var name: String
    /// A branch, a tag or a commit; `main` without one.
    public var revision: String?

    /// Puts a request together.
    public init(name: String, revision: String? = nil) {
        self.name = name
        self.revision = revision
    }
}

/// `model.pull.cancel`: for administrators.
public struct ModelRequest: Codable, Sendable {
    /// Which model.
    public var name: String

    /// Puts a request together.
    public init(name: String) {
        self.name = name
    }
}

/// `ping`, `model.list` and other operations without fields.
public struct EmptyRequest: Codable, Sendable {
    /// Puts a request together.
    public init() {}
}
