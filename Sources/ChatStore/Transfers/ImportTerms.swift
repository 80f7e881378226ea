// Into what an import goes, and how much it may bring.

public import ChatProtocol

/// In whose name an import is made.
public enum ImportOwner: Sendable, Hashable {
    /// A user's, into their own account: what is imported is theirs alone, others stay as names.
    case user(User)
    /// An administrator's or the terminal's: users, teams and members come as they were.
    case everything(Actor)

    /// Whose account it goes into; nil where it is everybody's.
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

/// How much an import may bring.
public struct ImportLimits: Sendable {
    /// The most conversations.
    public var conversations: Int
    /// The most messages of one conversation.
    public var messagesPerConversation: Int
    /// The most users.
    public var users: Int
    /// The longest text, in UTF-8 bytes; longer ones are cut.
    public var textBytes: Int
    /// How many messages, or bytes of text, are written in one go.
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

/// Why something of an import was left out or altered: each a fixed sentence, as reports count by them.
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
