// Who is there, and who is writing: of this moment alone, and kept nowhere.

/// `presence.changed`: somebody opened a conversation that the reader watches, or left it.
public struct PresenceChanged: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Who.
    public var user: User
    /// Whether they are there.
    public var online: Bool

    /// Puts an event together.
    public init(conversation: ConversationID, user: User, online: Bool) {
        self.conversation = conversation
        self.user = user
        self.online = online
    }
}

/// `typing`: somebody writes in a conversation that the reader watches.
public struct Typing: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Who.
    public var user: User
    /// For how long that counts unless it is said again, in seconds.
    public var seconds: Double

    /// Puts an event together.
    public init(conversation: ConversationID, user: User, seconds: Double) {
        self.conversation = conversation
        self.user = user
        self.seconds = seconds
    }
}
