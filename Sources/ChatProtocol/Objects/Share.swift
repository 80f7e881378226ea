// Share links, by which anyone who has them can read a conversation.

/// What a share link shows of its branch.
public enum ShareKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// All of it, with what is written later.
    case live
    /// What was there when the link was created: no later messages, and the title of then.
    case snapshot
}

/// A share link of a conversation. Only the reply to its creator contains the token.
public struct Share: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: ShareID
    /// What it shows.
    public var kind: ShareKind
    /// A message of the shared branch, of a snapshot the last one that it shows; nil for the branch
    /// of the newest message.
    public var leaf: MessageID?
    /// Who created it.
    public var createdBy: User
    /// When it was created.
    public var createdAt: Timestamp
    /// When it expires; nil for never.
    public var expiresAt: Timestamp?

    /// Creates a link.
    public init(
        id: ShareID,
        kind: ShareKind,
        leaf: MessageID?,
        createdBy: User,
        createdAt: Timestamp,
        expiresAt: Timestamp?
    ) {
        self.id = id
        self.kind = kind
        self.leaf = leaf
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, leaf
        case createdBy = "created_by"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }
}

/// A message as a reader with a share link sees it.
public struct SharedMessage: Codable, Hashable, Sendable {
    /// The message's id.
    public var id: MessageID
    /// The author's role.
    public var role: MessageRole
    /// The author's name; nil for answers, and if the account was deleted.
    public var author: String?
    /// The text so far.
    public var text: String
    /// Its state.
    public var state: MessageState
    /// When it was created.
    public var createdAt: Timestamp

    /// The part of a message that readers with a share link see.
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

/// A page of a shared conversation: the reply of `GET /api/v1/shared/TOKEN`.
public struct SharedPage: Codable, Sendable {
    /// The conversation's title.
    public var title: String
    /// The messages of the branch, oldest first.
    public var messages: [SharedMessage]
    /// Whether there are older ones.
    public var more: Bool
    /// When the snapshot was created: nothing later is shown. Nil for a live link.
    public var asOf: Timestamp?

    /// Creates a page.
    public init(
        title: String,
        messages: [SharedMessage],
        more: Bool,
        asOf: Timestamp? = nil
    ) {
        self.title = title
        self.messages = messages
        self.more = more
        self.asOf = asOf
    }

    enum CodingKeys: String, CodingKey {
        case title, messages, more
        case asOf = "as_of"
    }
}

/// `share.changed`: the shared branch has changed.
public struct ShareChanged: Codable, Sendable {
    /// The conversation's title.
    public var title: String
    /// Messages that were appended or have changed.
    public var messages: [SharedMessage]
    /// Messages that are no longer on the branch; nil for none.
    public var removed: [MessageID]?

    /// Creates an event.
    public init(title: String, messages: [SharedMessage], removed: [MessageID]? = nil) {
        self.title = title
        self.messages = messages
        self.removed = removed
    }
}
