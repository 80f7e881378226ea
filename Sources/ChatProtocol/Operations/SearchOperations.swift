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
                `query`, `conversation?`, `team?`, `author?` (a name), `from?`, `to?` (times), \
                `limit?` (1-100, default 20), `cursor?`
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

/// `search`: messages that hold all words and quoted phrases of a query, in what the user may see.
public struct SearchRequest: Codable, Sendable {
    /// What to look for: words, beginnings of words and "quoted phrases", 1 to 20 of them.
    public var query: String
    /// Where; everywhere without one.
    public var conversation: ConversationID?
    /// The team whose conversations to look in; all conversations without one.
    public var team: TeamID?
    /// The name of who wrote it; anybody, and answers too, without one.
    public var author: String?
    /// Only what was written then or later.
    public var from: Timestamp?
    /// Only what was written before then.
    public var to: Timestamp?
    /// How many at most: 1 to 100, 20 without one.
    public var limit: Int?
    /// The cursor of the previous page's reply.
    public var cursor: String?

    /// Creates a request.
    public init(
        query: String,
        conversation: ConversationID? = nil,
        team: TeamID? = nil,
        author: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        limit: Int? = nil,
        cursor: String? = nil
    ) {
        self.query = query
        self.conversation = conversation
        self.team = team
        self.author = author
        self.from = from
        self.to = to
        self.limit = limit
        self.cursor = cursor
    }
}

/// A piece of a search result's text.
public struct SnippetPart: Codable, Hashable, Sendable {
    /// The text.
    public var text: String
    /// Whether it is what was looked for.
    public var match: Bool

    /// Creates a piece.
    public init(text: String, match: Bool) {
        self.text = text
        self.match = match
    }
}

/// A message that was found.
public struct SearchResult: Codable, Sendable {
    /// Where it stands.
    public var conversation: ConversationID
    /// What that conversation is called.
    public var title: String
    /// Which message: as `leaf` of `conversation.watch` it opens the branch that it stands on.
    public var message: MessageID
    /// Who speaks in it.
    public var role: MessageRole
    /// Who wrote it; absent for answers.
    public var author: User?
    /// When it was written.
    public var createdAt: Timestamp
    /// The part of its text that matters, in one line.
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
    /// The page: first messages in which the words begin words, then those in which they stand in the
    /// middle of words; each the newest first.
    public var results: [SearchResult]
    /// Where the next page begins.
    public var cursor: String?

    /// Creates a reply.
    public init(results: [SearchResult], cursor: String?) {
        self.results = results
        self.cursor = cursor
    }
}
