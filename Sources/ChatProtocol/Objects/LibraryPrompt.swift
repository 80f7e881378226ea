// Prompts that a team, or a person, keeps in a library, and which of them a system prompt was taken from.

/// A prompt of a library, as lists show it: without its text.
public struct LibraryPrompt: Codable, Hashable, Sendable {
    /// Which.
    public var id: PromptID
    /// The team whose library it is in; nil for one of the reader's own.
    public var team: TeamID?
    /// What it is called.
    public var name: String
    /// The newest version's number, from 1.
    public var version: Int
    /// How long its newest text is, in UTF-8 bytes.
    public var bytes: Int
    /// Who wrote the newest version; nil where they are gone.
    public var author: User?
    /// When the newest version was made.
    public var updatedAt: Timestamp

    /// Puts a prompt together.
    public init(
        id: PromptID,
        team: TeamID?,
        name: String,
        version: Int,
        bytes: Int,
        author: User?,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.team = team
        self.name = name
        self.version = version
        self.bytes = bytes
        self.author = author
        self.updatedAt = updatedAt
    }

    enum CodingKeys: String, CodingKey {
        case id, team, name, version, bytes, author
        case updatedAt = "updated_at"
    }
}

/// A version of a library's prompt. It is never changed.
public struct LibraryText: Codable, Hashable, Sendable {
    /// Which, from 1.
    public var version: Int
    /// What it was called.
    public var name: String
    /// What it says.
    public var text: String
    /// Who wrote it; nil where they are gone.
    public var author: User?
    /// When it was made.
    public var createdAt: Timestamp

    /// Puts a version together.
    public init(version: Int, name: String, text: String, author: User?, createdAt: Timestamp) {
        self.version = version
        self.name = name
        self.text = text
        self.author = author
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case version, name, text, author
        case createdAt = "created_at"
    }
}

/// Which version of a library's prompt a system prompt was taken from.
public struct LibraryVersion: Codable, Hashable, Sendable {
    /// The prompt, which may be deleted by now.
    public var prompt: PromptID
    /// Which version of it.
    public var version: Int
    /// What it was called in that version.
    public var name: String

    /// Names a version.
    public init(prompt: PromptID, version: Int, name: String) {
        self.prompt = prompt
        self.version = version
        self.name = name
    }
}

/// A library's prompt's identifier.
public typealias PromptID = ID<LibraryPrompt>
