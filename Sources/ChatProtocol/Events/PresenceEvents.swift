// Presence and typing: current state only, never stored.

/// `presence.changed`: a user opened or left a conversation that the reader watches.
public struct PresenceChanged: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The user.
    public var user: User
    /// Whether they are present.
    public var online: Bool

    /// Creates an event.
    public init(conversation: ConversationID, user: User, online: Bool) {
        self.conversation = conversation
        self.user = user
        self.online = online
    }
}

/// `typing`: a user is typing in a conversation that the reader watches.
public struct Typing: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The user.
    public var user: User
    /// Seconds until this expires, unless it is repeated.
    public var seconds: Double

    /// Creates an event.
    public init(conversation: ConversationID, user: User, seconds: Double) {
        self.conversation = conversation
        self.user = user
        self.seconds = seconds
    }
}
