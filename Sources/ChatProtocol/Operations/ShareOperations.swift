// Operations on links to conversations.

extension Operation {
    /// Creates a link to a branch of a conversation.
    public static var shareCreate: Operation<ShareCreateRequest, ShareReply> {
        .init(
            "share.create",
            requires: .conversation(.share),
            scope: .write,
            takes: """
                `conversation`, `leaf?`, `kind?` (`live`, the default, or `snapshot`), \
                `expires_in?` (seconds; no end without it)
                """,
            replies: "`{share, token}`; the token is shown once",
            examples: [
                ShareCreateRequest(conversation: .example(1)),
                ShareCreateRequest(conversation: .example(1), leaf: .example(3), expiresIn: 3600),
                ShareCreateRequest(conversation: .example(1), kind: .snapshot),
            ]
        )
    }

    /// Lists the links to a conversation.
    public static var shareList: Operation<ConversationRequest, ShareListReply> {
        .init(
            "share.list",
            requires: .conversation(.share),
            scope: .read,
            takes: "`conversation`",
            replies: """
                `{shares:[{id, kind, leaf?, created_by, created_at, expires_at?}]}`, the newest first
                """,
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }

    /// Revokes a link.
    public static var shareRevoke: Operation<ShareRevokeRequest, EmptyReply> {
        .init(
            "share.revoke",
            requires: .conversation(.share),
            scope: .write,
            takes: "`conversation`, `share` (an id)",
            replies: "`{}`",
            examples: [ShareRevokeRequest(conversation: .example(1), share: .example(13))]
        )
    }

    /// Reads a conversation by a link, without an account.
    public static var shareWatch: Operation<ShareWatchRequest, ShareWatchReply> {
        .init(
            "share.watch",
            // With a link, as the first frame of a connection without an account; signed-in
            // sessions refuse it.
            requires: .signedIn,
            allowed: "anyone with a link, as the first frame",
            scope: .read,
            takes: "`token`",
            replies: "`{page, growing}`; see [links](#links)",
            examples: [
                ShareWatchRequest(
                    token: "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
                )
            ]
        )
    }
}

extension OperationDefinition {
    static let shares: [OperationDefinition] = [
        .init(.shareCreate),
        .init(.shareList),
        .init(.shareRevoke),
        .init(.shareWatch),
    ]
}

// MARK: Requests and replies

/// `share.create`.
public struct ShareCreateRequest: Codable, Sendable {
    /// The conversation to share.
    public var conversation: ConversationID
    /// A message of the shared branch, which is shown up to its newest reply; absent for the branch
    /// of the newest message.
    public var leaf: MessageID?
    /// What the link shows; absent for `live`.
    public var kind: ShareKind?
    /// Lifetime in seconds; absent for no expiry.
    public var expiresIn: Int?

    /// Creates a request.
    public init(
        conversation: ConversationID,
        leaf: MessageID? = nil,
        kind: ShareKind? = nil,
        expiresIn: Int? = nil
    ) {
        self.conversation = conversation
        self.leaf = leaf
        self.kind = kind
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case conversation, leaf, kind
        case expiresIn = "expires_in"
    }
}

/// `share.revoke`.
public struct ShareRevokeRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The link.
    public var share: ShareID

    /// Creates a request.
    public init(conversation: ConversationID, share: ShareID) {
        self.conversation = conversation
        self.share = share
    }
}

/// `share.watch`: the first frame of a reader with a share link and without an account.
public struct ShareWatchRequest: Codable, Sendable {
    /// The link's token.
    public var token: String

    /// Creates a request.
    public init(token: String) {
        self.token = token
    }
}

/// The reply of `share.create`.
public struct ShareReply: Codable, Sendable {
    /// The link.
    public var share: Share
    /// The token to read with. It is returned only once.
    public var token: String

    /// Creates a reply.
    public init(share: Share, token: String) {
        self.share = share
        self.token = token
    }
}

/// The reply of `share.list`.
public struct ShareListReply: Codable, Sendable {
    /// The valid links, newest first.
    public var shares: [Share]

    /// Creates a reply.
    public init(shares: [Share]) {
        self.shares = shares
    }
}

/// The reply of `share.watch`.
public struct ShareWatchReply: Codable, Sendable {
    /// The newest page of the branch.
    public var page: SharedPage
    /// The text so far of its running answers.
    public var growing: [GrowingAnswer]

    /// Creates a reply.
    public init(page: SharedPage, growing: [GrowingAnswer]) {
        self.page = page
        self.growing = growing
    }
}
