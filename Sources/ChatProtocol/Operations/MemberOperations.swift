// Operations on the members of a conversation.

extension Operation {
    /// Adds a member to a conversation, or gives one another role.
    public static var memberAdd: Operation<MemberAddRequest, MemberReply> {
        .init(
            "member.add",
            requires: .conversation(.manageMembers),
            scope: .write,
            takes: "`conversation`, `user` (a name), `role?` (`editor`)",
            replies: "`{members}`",
            examples: [
                MemberAddRequest(conversation: .example(1), user: "bob", role: .viewer)
            ]
        )
    }

    /// Removes a member from a conversation; oneself to leave it.
    public static var memberRemove: Operation<MemberRemoveRequest, MemberReply> {
        .init(
            "member.remove",
            // Members may remove themselves; others require `.manageMembers`.
            requires: .conversation(.leave),
            allowed: "owner, or oneself",
            scope: .write,
            takes: "`conversation`, `user` (an id)",
            replies: "`{members}`",
            examples: [MemberRemoveRequest(conversation: .example(1), user: .example(9))]
        )
    }
}

extension OperationDefinition {
    static let members: [OperationDefinition] = [
        .init(.memberAdd),
        .init(.memberRemove),
    ]
}

// MARK: Requests and replies

/// `member.add`.
public struct MemberAddRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The teammate's name.
    public var user: String
    /// Their role; `editor` by default.
    public var role: Role?

    /// Creates a request.
    public init(conversation: ConversationID, user: String, role: Role? = nil) {
        self.conversation = conversation
        self.user = user
        self.role = role
    }
}

/// `member.remove`: an owner removes a member, or a member leaves.
public struct MemberRemoveRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The user.
    public var user: UserID

    /// Creates a request.
    public init(conversation: ConversationID, user: UserID) {
        self.conversation = conversation
        self.user = user
    }
}

/// The reply of `member.add` and `member.remove`.
public struct MemberReply: Codable, Sendable {
    /// All members after the change.
    public var members: [Member]

    /// Creates a reply.
    public init(members: [Member]) {
        self.members = members
    }
}
