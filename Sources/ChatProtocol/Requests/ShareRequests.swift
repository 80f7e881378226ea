// What the operations on links to conversations take and answer.

/// `share.create`.
public struct ShareCreateRequest: Codable, Sendable {
    /// What is shared.
    public var conversation: ConversationID
    /// A message of the branch that is shown, from there always on to the newest reply; without one,
    /// the branch of the newest message.
    public var leaf: MessageID?
    /// For how long it is good, in seconds; without one it has no end.
    public var expiresIn: Int?

    /// Puts a request together.
    public init(conversation: ConversationID, leaf: MessageID? = nil, expiresIn: Int? = nil) {
        self.conversation = conversation
        self.leaf = leaf
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case conversation, leaf
        case expiresIn = "expires_in"
    }
}

/// `share.revoke`.
public struct ShareRevokeRequest: Codable, Sendable {
    /// Whose.
    public var conversation: ConversationID
    /// Which.
    public var share: ShareID

    /// Puts a request together.
    public init(conversation: ConversationID, share: ShareID) {
        self.conversation = conversation
        self.share = share
    }
}

/// `share.watch`: the first frame of somebody who has a link and no account.
public struct ShareWatchRequest: Codable, Sendable {
    /// The link's token.
    public var token: String

    /// Puts a request together.
    public init(token: String) {
        self.token = token
    }
}

/// The reply of `share.create`.
public struct ShareReply: Codable, Sendable {
    /// The link.
    public var share: Share
    /// What it is read with. Told here and never again.
    public var token: String

    /// Puts a reply together.
    public init(share: Share, token: String) {
        self.share = share
        self.token = token
    }
}

/// The reply of `share.list`.
public struct ShareListReply: Codable, Sendable {
    /// Those that are good, the newest first.
    public var shares: [Share]

    /// Puts a reply together.
    public init(shares: [Share]) {
        self.shares = shares
    }
}

/// The reply of `share.watch`.
public struct ShareWatchReply: Codable, Sendable {
    /// The newest of the branch.
    public var page: SharedPage
    /// What grows in it, as far as it is.
    public var growing: [GrowingAnswer]

    /// Puts a reply together.
    public init(page: SharedPage, growing: [GrowingAnswer]) {
        self.page = page
        self.growing = growing
    }
}
