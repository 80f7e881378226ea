// What nodes tell each other: that something of an id has changed, never what. Whoever is woken reads
// the database, and whoever was not looks there once in a while.

public import ChatProtocol
public import FoundationEssentials

/// A wake-up of one node by another.
public enum WakeUp: Hashable, Sendable {
    /// A conversation has durable events that the node has not told.
    case events(ConversationID)
    /// The text of an answer, or what its run is doing, has changed in a conversation.
    case text(ConversationID)
    /// A conversation in which the node makes an answer is watched on another node from now on.
    case watched(ConversationID)
    /// An answer that the node makes shall end.
    case stop(MessageID)
    /// A conversation is gone, and with it the answers that the node makes in it.
    case gone(ConversationID)
    /// What a user's lists show has changed.
    case user(UserID)
    /// Sign-ins of a user may have ended, or what they may do has changed.
    case account(UserID)
    /// Something waits in the queue that others than the sender may begin.
    case queue(sender: UUID)
    /// A node came or left.
    case nodes(sender: UUID)
    /// A user may do less than before: whoever holds something of theirs looks again.
    case standing(UserID)
    /// Somebody watches a conversation on the sender.
    case present(ConversationID, UserID)
    /// Somebody watches a conversation on the sender no more.
    case absent(ConversationID, UserID)
    /// Somebody writes in a conversation.
    case typing(ConversationID, UserID)

    /// The channel that all nodes listen to.
    public static let commonChannel = "stoa_nodes"
    /// What stands before a node's id in the name of its own channel.
    static let channelPrefix = "stoa_node_"

    /// The channel of one node.
    public static func channel(of node: UUID) -> String {
        channelPrefix + node.uuidString.lowercased()
    }

    /// The letter that a notification begins with.
    enum Letter {
        static let events = "e"
        static let text = "t"
        static let watched = "w"
        static let stop = "s"
        static let gone = "g"
        static let user = "u"
        static let account = "a"
        static let queue = "q"
        static let nodes = "n"
        static let standing = "r"
        static let present = "p"
        static let absent = "b"
        static let typing = "y"
    }

    /// The text of a notification: a letter and an id, or two.
    public var payload: String {
        switch self {
        case .events(let id): Letter.events + id.description
        case .text(let id): Letter.text + id.description
        case .watched(let id): Letter.watched + id.description
        case .stop(let id): Letter.stop + id.description
        case .gone(let id): Letter.gone + id.description
        case .user(let id): Letter.user + id.description
        case .account(let id): Letter.account + id.description
        case .queue(let sender): Letter.queue + sender.uuidString.lowercased()
        case .nodes(let sender): Letter.nodes + sender.uuidString.lowercased()
        case .standing(let id): Letter.standing + id.description
        case .present(let place, let user): Letter.present + place.description + user.description
        case .absent(let place, let user): Letter.absent + place.description + user.description
        case .typing(let place, let user): Letter.typing + place.description + user.description
        }
    }

    /// Reads a notification's text; nil where it is none of ours, or of a later version.
    public init?(payload: String) {
        if payload.utf8.count == 73 {
            self.init(pair: payload)
            return
        }
        guard payload.utf8.count == 37, let id = UUID(uuidString: String(payload.dropFirst()))
        else { return nil }
        switch String(payload.prefix(1)) {
        case Letter.events: self = .events(ConversationID(id))
        case Letter.text: self = .text(ConversationID(id))
        case Letter.watched: self = .watched(ConversationID(id))
        case Letter.stop: self = .stop(MessageID(id))
        case Letter.gone: self = .gone(ConversationID(id))
        case Letter.user: self = .user(UserID(id))
        case Letter.account: self = .account(UserID(id))
        case Letter.queue: self = .queue(sender: id)
        case Letter.nodes: self = .nodes(sender: id)
        case Letter.standing: self = .standing(UserID(id))
        default: return nil
        }
    }

    /// Reads the text of a notification about somebody in a conversation.
    private init?(pair payload: String) {
        guard let place = ConversationID(String(payload.dropFirst().prefix(36))),
            let user = UserID(String(payload.suffix(36)))
        else { return nil }
        switch String(payload.prefix(1)) {
        case Letter.present: self = .present(place, user)
        case Letter.absent: self = .absent(place, user)
        case Letter.typing: self = .typing(place, user)
        default: return nil
        }
    }
}
