// The operation that lists the user's conversations.

extension Operation {
    /// Lists the user's conversations, or the changes of the list after a number.
    public static var conversationList: Operation<ConversationListRequest, ConversationListReply> {
        .init(
            "conversation.list",
            requires: .signedIn,
            scope: .read,
            takes: """
                `cursor?` or `after?`, `limit?` (1-200, default 50), `archived?` (true: those that \
                the user has archived), `folder?`, `tag?` (only those in this folder, or with this \
                tag)
                """,
            replies: """
                `{conversations, cursor?, u, unlisted?, teams?, folders?, reset?}`, newest \
                activity first; see [lists](#lists)
                """,
            examples: [
                ConversationListRequest(),
                ConversationListRequest(
                    cursor: "1763717400000000_01890a5d-ac96-7001-8000-000000000001",
                    limit: 40
                ),
                ConversationListRequest(limit: 40, after: 12),
                ConversationListRequest(archived: true),
                ConversationListRequest(folder: .example(14), tag: "tea"),
            ]
        )
    }
}

// MARK: Request and reply

/// `conversation.list`: a page of the user's conversations, or the changes after a number.
public struct ConversationListRequest: Codable, Sendable {
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?
    /// The last change number of the list that the client has: requests the changes after it.
    public var after: Int64?
    /// Whether to list the user's archived conversations instead of the others.
    public var archived: Bool?
    /// Lists only conversations in this folder of the user.
    public var folder: FolderID?
    /// Lists only conversations with this tag of the user.
    public var tag: String?

    /// Creates a request.
    public init(
        cursor: String? = nil,
        limit: Int? = nil,
        after: Int64? = nil,
        archived: Bool? = nil,
        folder: FolderID? = nil,
        tag: String? = nil
    ) {
        self.cursor = cursor
        self.limit = limit
        self.after = after
        self.archived = archived
        self.folder = folder
        self.tag = tag
    }
}

/// The reply of `conversation.list`: a page, or the changes after the client's number.
public struct ConversationListReply: Codable, Sendable {
    /// The page; or the conversations that changed, in their current state.
    public var conversations: [Conversation]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?
    /// The list's latest change number: the reply contains every change up to it that the client
    /// lacks.
    public var u: Int64
    /// Conversations that were removed from the list, if changes were requested.
    public var unlisted: [UnlistedConversation]?
    /// All of the user's teams, if one of them changed, or on the first page of changes.
    public var teams: [Team]?
    /// All of the user's folders, if one of them changed, or on the first page of changes.
    public var folders: [Folder]?
    /// True if too much changed after the number, or if it is unknown: the reply is the first page,
    /// and replaces everything that the client has.
    public var reset: Bool?

    /// Creates a reply.
    public init(
        conversations: [Conversation],
        cursor: String? = nil,
        u: Int64,
        unlisted: [UnlistedConversation]? = nil,
        teams: [Team]? = nil,
        folders: [Folder]? = nil,
        reset: Bool? = nil
    ) {
        self.conversations = conversations
        self.cursor = cursor
        self.u = u
        self.unlisted = unlisted
        self.teams = teams
        self.folders = folders
        self.reset = reset
    }
}

/// A conversation that was removed from the user's list.
public struct UnlistedConversation: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The change's number.
    public var u: Int64

    /// Creates an entry.
    public init(conversation: ConversationID, u: Int64) {
        self.conversation = conversation
        self.u = u
    }
}
