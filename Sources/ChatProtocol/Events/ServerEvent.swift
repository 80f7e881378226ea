// Events from the server: `{"ev":"message.delta","conversation":"…",…}`. Durable events have a
// number `n`; ephemeral ones do not, and a client that misses them loses nothing permanently.

/// An event.
public enum ServerEvent: Codable, Sendable {
    case welcome(Welcome)
    case messageCreated(MessageCreated)
    case messageQueued(MessageQueued)
    case messageStarted(MessageStarted)
    case messageProgress(MessageProgress)
    case messageRestarted(MessageRestarted)
    case messageDelta(MessageDelta)
    case messageCompleted(MessageEnded)
    case messageStopped(MessageEnded)
    case messageFailed(MessageEnded)
    case messageDeleted(MessageDeleted)
    case messageRestored(MessageRestored)
    case messageFeedback(MessageFeedback)
    case conversationUpdated(ConversationUpdated)
    case conversationDeleted(ConversationDeleted)
    case memberChanged(MemberChanged)
    case conversationListed(ConversationListed)
    case conversationUnlisted(ConversationUnlisted)
    case teamChanged(TeamChanged)
    case teamLeft(TeamLeft)
    case foldersChanged(FoldersChanged)
    case presenceChanged(PresenceChanged)
    case typing(Typing)
    case shareChanged(ShareChanged)
    case modelChanged(ModelChanged)
    case modelRemoved(ModelRemoved)
    case lagged(Lagged)

    /// An event's name on the wire.
    public enum Name: String, Codable, Sendable, CaseIterable {
        case welcome
        case messageCreated = "message.created"
        case messageQueued = "message.queued"
        case messageStarted = "message.started"
        case messageProgress = "message.progress"
        case messageRestarted = "message.restarted"
        case messageDelta = "message.delta"
        case messageCompleted = "message.completed"
        case messageStopped = "message.stopped"
        case messageFailed = "message.failed"
        case messageDeleted = "message.deleted"
        case messageRestored = "message.restored"
        case messageFeedback = "message.feedback"
        case conversationUpdated = "conversation.updated"
        case conversationDeleted = "conversation.deleted"
        case memberChanged = "member.changed"
        case conversationListed = "conversation.listed"
        case conversationUnlisted = "conversation.unlisted"
        case teamChanged = "team.changed"
        case teamLeft = "team.left"
        case foldersChanged = "folders.changed"
        case presenceChanged = "presence.changed"
        case typing
        case shareChanged = "share.changed"
        case modelChanged = "model.changed"
        case modelRemoved = "model.removed"
        case lagged
    }

    private enum Key: String, CodingKey { case ev }

    /// Reads the wire form.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.container(keyedBy: Key.self).decode(Name.self, forKey: .ev)
        self =
            switch name {
            case .welcome: .welcome(try .init(from: decoder))
            case .messageCreated: .messageCreated(try .init(from: decoder))
            case .messageQueued: .messageQueued(try .init(from: decoder))
            case .messageStarted: .messageStarted(try .init(from: decoder))
            case .messageProgress: .messageProgress(try .init(from: decoder))
            case .messageRestarted: .messageRestarted(try .init(from: decoder))
            case .messageDelta: .messageDelta(try .init(from: decoder))
            case .messageCompleted: .messageCompleted(try .init(from: decoder))
            case .messageStopped: .messageStopped(try .init(from: decoder))
            case .messageFailed: .messageFailed(try .init(from: decoder))
            case .messageDeleted: .messageDeleted(try .init(from: decoder))
            case .messageRestored: .messageRestored(try .init(from: decoder))
            case .messageFeedback: .messageFeedback(try .init(from: decoder))
            case .conversationUpdated: .conversationUpdated(try .init(from: decoder))
            case .conversationDeleted: .conversationDeleted(try .init(from: decoder))
            case .memberChanged: .memberChanged(try .init(from: decoder))
            case .conversationListed: .conversationListed(try .init(from: decoder))
            case .conversationUnlisted: .conversationUnlisted(try .init(from: decoder))
            case .teamChanged: .teamChanged(try .init(from: decoder))
            case .teamLeft: .teamLeft(try .init(from: decoder))
            case .foldersChanged: .foldersChanged(try .init(from: decoder))
            case .presenceChanged: .presenceChanged(try .init(from: decoder))
            case .typing: .typing(try .init(from: decoder))
            case .shareChanged: .shareChanged(try .init(from: decoder))
            case .modelChanged: .modelChanged(try .init(from: decoder))
            case .modelRemoved: .modelRemoved(try .init(from: decoder))
            case .lagged: .lagged(try .init(from: decoder))
            }
    }

    /// Writes the wire form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        let (name, body) = parts
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .ev)
        try body.encode(to: encoder)
    }

    private var parts: (Name, any Encodable) {
        switch self {
        case .welcome(let body): (.welcome, body)
        case .messageCreated(let body): (.messageCreated, body)
        case .messageQueued(let body): (.messageQueued, body)
        case .messageStarted(let body): (.messageStarted, body)
        case .messageProgress(let body): (.messageProgress, body)
        case .messageRestarted(let body): (.messageRestarted, body)
        case .messageDelta(let body): (.messageDelta, body)
        case .messageCompleted(let body): (.messageCompleted, body)
        case .messageStopped(let body): (.messageStopped, body)
        case .messageFailed(let body): (.messageFailed, body)
        case .messageDeleted(let body): (.messageDeleted, body)
        case .messageRestored(let body): (.messageRestored, body)
        case .messageFeedback(let body): (.messageFeedback, body)
        case .conversationUpdated(let body): (.conversationUpdated, body)
        case .conversationDeleted(let body): (.conversationDeleted, body)
        case .memberChanged(let body): (.memberChanged, body)
        case .conversationListed(let body): (.conversationListed, body)
        case .conversationUnlisted(let body): (.conversationUnlisted, body)
        case .teamChanged(let body): (.teamChanged, body)
        case .teamLeft(let body): (.teamLeft, body)
        case .foldersChanged(let body): (.foldersChanged, body)
        case .presenceChanged(let body): (.presenceChanged, body)
        case .typing(let body): (.typing, body)
        case .shareChanged(let body): (.shareChanged, body)
        case .modelChanged(let body): (.modelChanged, body)
        case .modelRemoved(let body): (.modelRemoved, body)
        case .lagged(let body): (.lagged, body)
        }
    }

    /// The event's name.
    public var name: Name { parts.0 }

    /// The number of a durable event; nil for an ephemeral one.
    public var n: Int64? {
        switch self {
        case .messageCreated(let body): body.n
        case .messageCompleted(let body), .messageStopped(let body), .messageFailed(let body):
            body.n
        case .messageDeleted(let body): body.n
        case .messageRestored(let body): body.n
        case .messageFeedback(let body): body.n
        case .conversationUpdated(let body): body.n
        case .conversationDeleted(let body): body.n
        case .memberChanged(let body): body.n
        case .welcome, .messageQueued, .messageStarted, .messageProgress, .messageRestarted,
            .messageDelta, .conversationListed, .conversationUnlisted, .teamChanged, .teamLeft,
            .foldersChanged, .presenceChanged, .typing, .shareChanged, .modelChanged, .modelRemoved,
            .lagged:
            nil
        }
    }
}
