// Operations on how conversations end: archiving, restoring, holds, and retention.

extension Operation {
    /// Archives a conversation in the user's own list, or restores it there.
    public static var conversationArchive: Operation<ConversationArchiveRequest, EmptyReply> {
        .init(
            "conversation.archive",
            requires: .conversation(.read),
            scope: .write,
            takes: "`conversation`, `archived`",
            replies: "`{}`; out of the user's own list, or back; idempotent",
            examples: [ConversationArchiveRequest(conversation: .example(1), archived: true)]
        )
    }

    /// Lists deleted conversations that the user can restore.
    public static var conversationDeletedList: Operation<DeletedListRequest, DeletedListReply> {
        .init(
            "conversation.deleted.list",
            requires: .signedIn,
            scope: .read,
            takes: "`limit?`",
            replies: """
                `{conversations:[{id, title, deleted_at, purge_at?}]}`: what the user owns and can \
                restore, last deleted first; `purge_at` is absent during a hold
                """,
            examples: [DeletedListRequest(limit: 10)]
        )
    }

    /// Restores a deleted conversation.
    public static var conversationRestore: Operation<ConversationRequest, ConversationReply> {
        .init(
            "conversation.restore",
            requires: .conversation(.delete),
            scope: .write,
            takes: "`conversation`",
            replies: "`{conversation}`; idempotent",
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }

    /// Keeps a conversation from being purged, or releases it.
    public static var conversationHold: Operation<ConversationHoldRequest, EmptyReply> {
        .init(
            "conversation.hold",
            requires: .server(.holdConversations),
            scope: .administer,
            takes: "`conversation`, `hold`, `reason?` (needed to hold; 500 bytes)",
            replies: "`{}`; it is not purged until the hold is released; idempotent",
            examples: [
                ConversationHoldRequest(conversation: .example(1), hold: true, reason: "a lawsuit")
            ]
        )
    }

    /// Lists the held conversations.
    public static var conversationHoldList: Operation<HoldListRequest, HoldListReply> {
        .init(
            "conversation.hold.list",
            requires: .server(.holdConversations),
            scope: .administer,
            takes: "`conversation?` (only this one), `cursor?`, `limit?` (1-200, default 50)",
            replies: """
                `{holds:[{conversation, reason, held_at, held_by?, deleted_at?}], cursor?}`, the \
                newest conversation first; `held_by` `{id, name}` is absent once the account is \
                deleted. A hold has no end: it lasts until it is released
                """,
            examples: [
                HoldListRequest(
                    conversation: .example(1),
                    cursor: "01890a5d-ac96-7002-8000-000000000002",
                    limit: 10
                )
            ]
        )
    }

    /// Sets how long a team keeps conversations without activity.
    public static var teamRetention: Operation<TeamRetentionRequest, EmptyReply> {
        .init(
            "team.retention",
            requires: .team(.change),
            scope: .write,
            takes: "`team`, `days?` (1-36500; without: for ever)",
            replies: """
                `{}`; after so many days without activity a conversation of the team is deleted
                """,
            examples: [TeamRetentionRequest(team: .example(9), days: 365)]
        )
    }
}

extension OperationDefinition {
    static let lifeCycle: [OperationDefinition] = [
        .init(.conversationArchive),
        .init(.conversationDeletedList),
        .init(.conversationRestore),
        .init(.conversationHold),
        .init(.conversationHoldList),
        .init(.teamRetention),
    ]
}

// MARK: Requests and replies

/// `conversation.archive`: archives a conversation in the user's own list, or restores it there.
public struct ConversationArchiveRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// Whether to archive it.
    public var archived: Bool

    /// Creates a request.
    public init(conversation: ConversationID, archived: Bool) {
        self.conversation = conversation
        self.archived = archived
    }
}

/// `conversation.deleted.list`: conversations that the user deleted, and deleted ones that the user
/// owns.
public struct DeletedListRequest: Codable, Sendable {
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(limit: Int? = nil) {
        self.limit = limit
    }
}

/// A conversation that was deleted and can be restored.
public struct DeletedConversation: Codable, Hashable, Sendable {
    /// The conversation.
    public var id: ConversationID
    /// Its title.
    public var title: String
    /// When it was deleted.
    public var deletedAt: Timestamp
    /// When it is purged and can no longer be restored; absent if it is held.
    public var purgeAt: Timestamp?

    /// Creates an entry.
    public init(id: ConversationID, title: String, deletedAt: Timestamp, purgeAt: Timestamp?) {
        self.id = id
        self.title = title
        self.deletedAt = deletedAt
        self.purgeAt = purgeAt
    }

    enum CodingKeys: String, CodingKey {
        case id, title
        case deletedAt = "deleted_at"
        case purgeAt = "purge_at"
    }
}

/// The reply of `conversation.deleted.list`.
public struct DeletedListReply: Codable, Sendable {
    /// The conversations, most recently deleted first.
    public var conversations: [DeletedConversation]

    /// Creates a reply.
    public init(conversations: [DeletedConversation]) {
        self.conversations = conversations
    }
}

/// `conversation.hold`: prevents a conversation's purge, or allows it again; for administrators.
public struct ConversationHoldRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// Whether to hold it.
    public var hold: Bool
    /// The reason; required to hold it.
    public var reason: String?

    /// Creates a request.
    public init(conversation: ConversationID, hold: Bool, reason: String? = nil) {
        self.conversation = conversation
        self.hold = hold
        self.reason = reason
    }
}

/// `conversation.hold.list`: the held conversations; for administrators.
public struct HoldListRequest: Codable, Sendable {
    /// Only this conversation.
    public var conversation: ConversationID?
    /// The cursor of the previous page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(conversation: ConversationID? = nil, cursor: String? = nil, limit: Int? = nil) {
        self.conversation = conversation
        self.cursor = cursor
        self.limit = limit
    }
}

/// A conversation that is held: nothing purges it until it is released.
public struct ConversationHold: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// Why it is held.
    public var reason: String
    /// Since when.
    public var heldAt: Timestamp
    /// Who holds it; absent once the account is deleted.
    public var heldBy: User?
    /// When an owner deleted it; absent if it is not deleted.
    public var deletedAt: Timestamp?

    /// Creates an entry.
    public init(
        conversation: ConversationID,
        reason: String,
        heldAt: Timestamp,
        heldBy: User?,
        deletedAt: Timestamp?
    ) {
        self.conversation = conversation
        self.reason = reason
        self.heldAt = heldAt
        self.heldBy = heldBy
        self.deletedAt = deletedAt
    }

    enum CodingKeys: String, CodingKey {
        case conversation, reason
        case heldAt = "held_at"
        case heldBy = "held_by"
        case deletedAt = "deleted_at"
    }
}

/// The reply of `conversation.hold.list`.
public struct HoldListReply: Codable, Sendable {
    /// The holds, of the newest conversation first.
    public var holds: [ConversationHold]
    /// The cursor of the next page; absent on the last one.
    public var cursor: String?

    /// Creates a reply.
    public init(holds: [ConversationHold], cursor: String?) {
        self.holds = holds
        self.cursor = cursor
    }
}

/// `team.retention`: sets how long a team keeps conversations without activity.
public struct TeamRetentionRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// Days after the last activity; absent for no limit.
    public var days: Int?

    /// Creates a request.
    public init(team: TeamID, days: Int?) {
        self.team = team
        self.days = days
    }
}
