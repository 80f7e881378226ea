// Prompt libraries of teams and users.

public import ChatProtocol

/// A prompt of a library. Its versions follow it.
public struct PromptRecord: Codable, Hashable, Sendable {
    /// Its id.
    public var id: PromptID
    /// The team whose library it is in; nil for a user's own.
    public var team: TeamID?
    /// The user whose library it is in; nil for a team's.
    public var owner: UserID?

    /// A prompt record.
    public init(id: PromptID, team: TeamID? = nil, owner: UserID? = nil) {
        self.id = id
        self.team = team
        self.owner = owner
    }
}

/// A version of a library prompt.
public struct PromptVersionRecord: Codable, Hashable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// The version, from 1.
    public var version: Int
    /// Its name.
    public var name: String
    /// Its text.
    public var text: String
    /// Its author; nil if the user was deleted.
    public var author: UserID?
    /// When it was created.
    public var createdAt: Timestamp

    /// A prompt version record.
    public init(
        prompt: PromptID,
        version: Int,
        name: String,
        text: String,
        author: UserID? = nil,
        createdAt: Timestamp
    ) {
        self.prompt = prompt
        self.version = version
        self.name = name
        self.text = text
        self.author = author
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case prompt, version, name, text, author
        case createdAt = "created_at"
    }
}
