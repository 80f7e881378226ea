// Notifications between nodes: they say which id has changed, never how. The receiver reads the
// database; a node that missed one notices the change by polling.

public import ChatProtocol
public import FoundationEssentials

/// A notification from one node to others.
public enum WakeUp: Hashable, Sendable {
    /// A conversation has new durable events.
    case events(ConversationID)
    /// The checkpoint of an answer, or the state of its run, has changed.
    case text(ConversationID)
    /// A conversation in which the node runs an answer has a subscriber on another node.
    case watched(ConversationID)
    /// A stop request for an answer that the node runs.
    case stop(MessageID)
    /// A conversation was deleted, including the answers that the node runs in it.
    case gone(ConversationID)
    /// A user's list has changed.
    case user(UserID)
    /// Sign-ins of a user may have ended, or the user's rights have changed.
    case account(UserID)
    /// The queue has a run that other nodes than the sender may claim.
    case queue(sender: UUID)
    /// A node started or stopped.
    case nodes(sender: UUID)
    /// Administrators' choices of models have changed.
    case models(sender: UUID)
    /// An engine was removed, and its running answers leave it at once.
    case engines(sender: UUID)
    /// A user may have lost rights: running work for them must be checked.
    case standing(UserID)
    /// A user subscribed to a conversation on the sender.
    case present(ConversationID, UserID)
    /// A user's last subscription to a conversation on the sender ended.
    case absent(ConversationID, UserID)
    /// A user is typing in a conversation.
    case typing(ConversationID, UserID)

    /// The channel of all nodes.
    public static let commonChannel = "stoa_nodes"
    /// The prefix of a node's own channel, before its id.
    static let channelPrefix = "stoa_node_"

    /// The channel of one node.
    public static func channel(of node: UUID) -> String {
        channelPrefix + node.uuidString.lowercased()
    }

    /// The first character of a notification.
    enum Prefix {
        static let events = "e"
        static let text = "t"
        static let watched = "w"
        static let stop = "s"
        static let gone = "g"
        static let user = "u"
        static let account = "a"
        static let queue = "q"
        static let nodes = "n"
        static let models = "m"
        static let engines = "v"
        static let standing = "r"
        static let present = "p"
        static let absent = "b"
        static let typing = "y"
    }

    /// The text of a notification: a character, and one or two ids.
    public var payload: String {
        switch self {
        case .events(let id): Prefix.events + id.description
        case .text(let id): Prefix.text + id.description
        case .watched(let id): Prefix.watched + id.description
        case .stop(let id): Prefix.stop + id.description
        case .gone(let id): Prefix.gone + id.description
        case .user(let id): Prefix.user + id.description
        case .account(let id): Prefix.account + id.description
        case .queue(let sender): Prefix.queue + sender.uuidString.lowercased()
        case .nodes(let sender): Prefix.nodes + sender.uuidString.lowercased()
        case .models(let sender): Prefix.models + sender.uuidString.lowercased()
        case .engines(let sender): Prefix.engines + sender.uuidString.lowercased()
        case .standing(let id): Prefix.standing + id.description
        case .present(let place, let user): Prefix.present + place.description + user.description
        case .absent(let place, let user): Prefix.absent + place.description + user.description
        case .typing(let place, let user): Prefix.typing + place.description + user.description
        }
    }

    /// Parses a notification; nil if it is invalid, or of a later version.
    public init?(payload: String) {
        if payload.utf8.count == 73 {
            self.init(pair: payload)
            return
        }
        guard payload.utf8.count == 37, let id = UUID(uuidString: String(payload.dropFirst()))
        else { return nil }
        switch String(payload.prefix(1)) {
        case Prefix.events: self = .events(ConversationID(id))
        case Prefix.text: self = .text(ConversationID(id))
        case Prefix.watched: self = .watched(ConversationID(id))
        case Prefix.stop: self = .stop(MessageID(id))
        case Prefix.gone: self = .gone(ConversationID(id))
        case Prefix.user: self = .user(UserID(id))
        case Prefix.account: self = .account(UserID(id))
        case Prefix.queue: self = .queue(sender: id)
        case Prefix.nodes: self = .nodes(sender: id)
        case Prefix.models: self = .models(sender: id)
        case Prefix.engines: self = .engines(sender: id)
        case Prefix.standing: self = .standing(UserID(id))
        default: return nil
        }
    }

    /// Parses a notification about a user in a conversation.
    private init?(pair payload: String) {
        guard let place = ConversationID(String(payload.dropFirst().prefix(36))),
            let user = UserID(String(payload.suffix(36)))
        else { return nil }
        switch String(payload.prefix(1)) {
        case Prefix.present: self = .present(place, user)
        case Prefix.absent: self = .absent(place, user)
        case Prefix.typing: self = .typing(place, user)
        default: return nil
        }
    }
}
