// Looking for messages: what is asked, and what was found.

/// `search`: messages that hold all words and quoted phrases of a query, in what the asker may see.
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
    /// Where the page before ended.
    public var cursor: String?

    /// Puts a request together.
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

    /// Puts a piece together.
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

    /// Puts a result together.
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

    /// Puts a reply together.
    public init(results: [SearchResult], cursor: String?) {
        self.results = results
        self.cursor = cursor
    }
}
