// Libraries of prompts: a team's, or a person's own.

public import ChatProtocol

/// A prompt of a library. Its versions follow it.
public struct PromptRecord: Codable, Hashable, Sendable {
    /// Which.
    public var id: PromptID
    /// The team whose library it is in; nil for a person's own.
    public var team: TeamID?
    /// Whose own it is; nil for a team's.
    public var owner: UserID?

    /// Puts a record together.
    public init(id: PromptID, team: TeamID? = nil, owner: UserID? = nil) {
        self.id = id
        self.team = team
        self.owner = owner
    }
}

/// What a library's prompt said in one version.
public struct PromptVersionRecord: Codable, Hashable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// Which version of it, from 1, one after the other.
    public var version: Int
    /// What it was called.
    public var name: String
    /// What it says.
    public var text: String
    /// Who wrote it; nil where they are gone.
    public var author: UserID?
    /// When it was made.
    public var createdAt: Timestamp

    /// Puts a record together.
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
