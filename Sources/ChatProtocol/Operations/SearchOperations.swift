// The operation that finds messages.

extension Operation {
    /// Finds messages that contain all words and quoted phrases of a query.
    public static var search: Operation<SearchRequest, SearchReply> {
        .init(
            "search",
            requires: .signedIn,
            allowed: "members",
            scope: .read,
            rate: .search,
            takes: """
                `query`, `conversation?`, `team?`, `folder?`, `tag?`, `author?` (a name), `from?`, \
                `to?` (times), `limit?` (1-100, default 20), `cursor?`
                """,
            replies: """
                `{results:[{conversation, title, message, role, author?, created_at, \
                snippet:[{text, match}]}], cursor?}`; [below](#search)
                """,
            examples: [
                SearchRequest(query: "tea"),
                SearchRequest(
                    query: "\"green tea\" milk",
                    conversation: .example(1),
                    team: .example(9),
                    folder: .example(14),
                    tag: "tea",
                    author: "ann",
                    from: Timestamp(milliseconds: 1_767_225_600_000),
                    to: Timestamp(milliseconds: 1_769_904_000_000),
                    limit: 50,
                    cursor: "w01890a5d-ac96-7001-8000-000000000002"
                ),
            ]
        )
    }
}

extension OperationDefinition {
    static let search: [OperationDefinition] = [
        .init(.search)
    ]
}

// MARK: Requests and replies

/// `search`: finds messages that contain all words and quoted phrases of a query, in conversations
/// that the user may read.
public struct SearchRequest: Codable, Sendable {
    /// The query: 1 to 20 words, beginnings of words and "quoted phrases".
    public var query: String
    /// The conversation to search; absent for all.
    public var conversation: ConversationID?
    /// The team whose conversations to search; absent for all.
    public var team: TeamID?
    /// The user's folder whose conversations to search; absent for all.
    public var folder: FolderID?
    /// The user's tag whose conversations to search; absent for all.
    public var tag: String?
    /// The author's name; absent for all authors and answers.
    public var author: String?
    /// Only messages of this time or later.
    public var from: Timestamp?
    /// Only messages before this time.
    public var to: Timestamp?
    /// Maximum number of results, 1 to 100; 20 by default.
    public var limit: Int?
    /// The cursor of the previous page's reply.
    public var cursor: String?

    /// Creates a request.
    public init(
        query: String,
        conversation: ConversationID? = nil,
        team: TeamID? = nil,
        folder: FolderID? = nil,
        tag: String? = nil,
        author: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        limit: Int? = nil,
        cursor: String? = nil
    ) {
        self.query = query
        self.conversation = conversation
        self.team = team
        self.folder = folder
        self.tag = tag
        self.author = author
        self.from = from
        self.to = to
        self.limit = limit
        self.cursor = cursor
    }
}

/// A piece of a search result's text.
public struct SnippetPart: Codable, Hashable, Sendable {
    /// Its text.
    public var text: String
    /// Whether it matches the query.
    public var match: Bool

    /// Creates a piece.
    public init(text: String, match: Bool) {
        self.text = text
        self.match = match
    }
}

/// A search result.
public struct SearchResult: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The conversation's title.
    public var title: String
    /// The message: as `leaf` of `conversation.watch`, it opens the branch that contains it.
    public var message: MessageID
    /// The author's role.
    public var role: MessageRole
    /// The author; absent for answers.
    public var author: User?
    /// When it was created.
    public var createdAt: Timestamp
    /// The matching part of its text, in one line.
    public var snippet: [SnippetPart]

    /// Creates a result.
    public init(
        conversation: ConversationID,
        title: String,
        message: MessageID,
        role: MessageRole,
        author: User?,
        createdAt: Timestamp,
        snippet: [SnippetPart]
    ) {
        self.conversation = conversation
        self.title = title
        self.message = message
        self.role = role
        self.author = author
        self.createdAt = createdAt
        self.snippet = snippet
    }

    enum CodingKeys: String, CodingKey {
        case conversation, title, message, role, author, snippet
        case createdAt = "created_at"
    }
}

/// The reply of `search`.
public struct SearchReply: Codable, Sendable {
    /// The page: first messages in which words begin with the searched ones, then those that
    /// contain them inside words; each newest first.
    public var results: [SearchResult]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(results: [SearchResult], cursor: String?) {
        self.results = results
        self.cursor = cursor
    }
}
