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
    static let duplicate = "the same identifier came before"
    static let noParent = "the message that it follows is not in the file"
    static let noMessage = "its message is not in the file, or not right before it"
    static let noConversation = "its conversation does not stand right before it"
    static let unfinished = "it is no finished message"
    static let tooManyMessages = "the conversation has too many messages"
    static let noLibrary = "the team or the user whose library it is in is not here"
    static let noPrompt = "its prompt does not stand right before it"
    static let malformedPrompt = "it is empty, or its versions do not follow each other"
    static let libraryFull = "the library has as many prompts as it may"
    static let tooManyParts = "there are too many of its kind"
    static let refusedByDatabase = "the database refuses one of its values"
    static let taken = "another import is at work on it"
    static let newIdentifier = "its identifier was taken: it has a new one"
    static let cutText = "its text was too long and is cut"
    static let nulCharacter = "its NUL characters are replaced"
    static let settings = "its settings are out of range and left out"
    static let leftTeam = "it belongs to no team here"
    static let nameOnly = "others are kept as names"
    static let nameTaken = "the name was taken: it has another"
    static let noUser = "the user is not here, or not in its team"
    static let otherServerPrompt = "the server has another text of that version"
    static let malformedFeedback = "it is no rating of 1 or -1 with a short text"
    static let malformedSummary = "it is empty or too long"
}
