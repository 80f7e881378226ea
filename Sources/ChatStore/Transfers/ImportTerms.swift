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

/// Why something was left out or changed: fixed sentences, by which reports count.
enum ImportReason {
    static let duplicate = "duplicate identifier"
    static let noParent = "its parent message is not in the file"
    static let noMessage = "its message is not in the file, or not directly before it"
    static let noConversation = "its conversation is not directly before it"
    static let unfinished = "unfinished message"
    static let tooManyMessages = "the conversation has too many messages"
    static let noLibrary = "the team or user that owns its library does not exist here"
    static let noPrompt = "its prompt is not directly before it"
    static let malformedPrompt = "it is empty, or its version numbers have gaps"
    static let libraryFull = "the library is full"
    static let tooManyParts = "too many entries of this kind"
    static let refusedByDatabase = "the database rejects one of its values"
    static let taken = "another import is writing it"
    static let newIdentifier = "its identifier was taken: it got a new one"
    static let cutText = "its text was too long and was cut"
    static let nulCharacter = "its NUL characters were replaced"
    static let settings = "settings out of range were removed"
    static let leftTeam = "imported without its team"
    static let nameOnly = "other users are kept as names only"
    static let nameTaken = "the name was taken: it got another"
    static let noUser = "the user does not exist here, or is not in the team"
    static let otherServerPrompt = "the server has another text for that version"
    static let malformedFeedback = "a rating must be 1 or -1, with a short text"
    static let malformedSummary = "it is empty or too long"
}
