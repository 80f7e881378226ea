// The target and the limits of an import.

public import ChatProtocol

/// On whose behalf an import is made.
public enum ImportOwner: Sendable, Hashable {
    /// A user, into their own account: imported conversations are theirs alone, other users stay as
    /// names.
    case user(User)
    /// An administrator or the command line: users, teams and members are imported as they were.
    case everything(Actor)

    /// The account to import into; nil for everything.
    public var user: User? {
        if case .user(let user) = self { user } else { nil }
    }

    var actor: Actor {
        switch self {
        case .user(let user): Actor(user)
        case .everything(let actor): actor
        }
    }
}

/// Limits of an import.
public struct ImportLimits: Sendable {
    /// Maximum conversations.
    public var conversations: Int
    /// Maximum messages per conversation.
    public var messagesPerConversation: Int
    /// Maximum users.
    public var users: Int
    /// Maximum length of a text, in UTF-8 bytes; longer ones are cut.
    public var textBytes: Int
    /// Maximum messages, and bytes of text, per batch.
    public var batch: (messages: Int, bytes: Int)

    /// Creates the limits.
    public init(
        conversations: Int = 100_000,
        messagesPerConversation: Int = 200_000,
        users: Int = 100_000,
        textBytes: Int = 1 << 20,
        batch: (messages: Int, bytes: Int) = (250, 1 << 20)
    ) {
        self.conversations = conversations
        self.messagesPerConversation = messagesPerConversation
        self.users = users
        self.textBytes = textBytes
        self.batch = batch
    }
}
