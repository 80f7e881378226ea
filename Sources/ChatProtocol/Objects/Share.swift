// Links by which whoever has them reads a conversation, and what they read.

/// A link to a conversation. Its token is told once, to whoever makes it.
public struct Share: Codable, Hashable, Sendable {
    /// Which.
    public var id: ShareID
    /// A message of the branch that it shows; nil for the branch of the newest message.
    public var leaf: MessageID?
    /// Who made it.
    public var createdBy: User
    /// When it was made.
    public var createdAt: Timestamp
    /// Until when it is good; nil for one without an end.
    public var expiresAt: Timestamp?

    /// Puts a link together.
    public init(
        id: ShareID,
        leaf: MessageID?,
        createdBy: User,
        createdAt: Timestamp,
        expiresAt: Timestamp?
    ) {
        self.id = id
        self.leaf = leaf
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case id, leaf
        case createdBy = "created_by"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }
}

/// A message as a link's reader sees it.
public struct SharedMessage: Codable, Hashable, Sendable {
    /// Which.
    public var id: MessageID
    /// Who speaks.
    public var role: MessageRole
    /// What whoever wrote it is called; nil for answers, and where the account is gone.
    public var author: String?
    /// What it says; of an answer that grows, what its beginning is.
    public var text: String
    /// How far it is.
    public var state: MessageState
    /// When it was made.
    public var createdAt: Timestamp

    /// What a link's reader sees of a message.
    public init(_ message: Message) {
        id = message.id
        role = message.role
        author = message.author?.name ?? message.authorName
        text = message.text
        state = message.state
        createdAt = message.createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, role, author, text, state
        case createdAt = "created_at"
    }
}

/// A page of a conversation as a link's reader sees it: what `GET /api/v1/shared/TOKEN` answers.
public struct SharedPage: Codable, Sendable {
    /// What the conversation is called.
    public var title: String
    /// The messages of the branch, oldest first.
    public var messages: [SharedMessage]
    /// Whether there are older ones.
    public var more: Bool

    /// Puts a page together.
    public init(title: String, messages: [SharedMessage], more: Bool) {
        self.title = title
        self.messages = messages
        self.more = more
    }
}

/// `share.changed`: what a link's reader sees has changed.
public struct ShareChanged: Codable, Sendable {
    /// What the conversation is called.
    public var title: String
    /// Messages that came to the end of the branch, or are otherwise than before.
    public var messages: [SharedMessage]
    /// Messages that are not on the branch any more; nil for none.
    public var removed: [MessageID]?

    /// Puts an event together.
    public init(title: String, messages: [SharedMessage], removed: [MessageID]? = nil) {
        self.title = title
        self.messages = messages
        self.removed = removed
    }
}
