// Prompts in the library of a team or a user, and references from system prompts to them.

/// A library prompt, as lists show it: without its text.
public struct LibraryPrompt: Codable, Hashable, Sendable {
    /// The prompt's id.
    public var id: PromptID
    /// The team whose library contains it; nil for the reader's own library.
    public var team: TeamID?
    /// Its name.
    public var name: String
    /// The newest version's number, from 1.
    public var version: Int
    /// Length of its newest text, in UTF-8 bytes.
    public var bytes: Int
    /// The author of the newest version; nil if the account was deleted.
    public var author: User?
    /// When the newest version was created.
    public var updatedAt: Timestamp

    /// Creates a prompt.
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

/// A version of a library prompt. It never changes.
public struct LibraryText: Codable, Hashable, Sendable {
    /// The version's number, from 1.
    public var version: Int
    /// The prompt's name in this version.
    public var name: String
    /// The text.
    public var text: String
    /// The author; nil if the account was deleted.
    public var author: User?
    /// When it was created.
    public var createdAt: Timestamp

    /// Creates a version.
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

/// The version of a library prompt that a system prompt was taken from.
public struct LibraryVersion: Codable, Hashable, Sendable {
    /// The prompt, which may have been deleted since.
    public var prompt: PromptID
    /// The version's number.
    public var version: Int
    /// The prompt's name in that version.
    public var name: String

    /// Creates a reference to a version.
    public init(prompt: PromptID, version: Int, name: String) {
        self.prompt = prompt
        self.version = version
        self.name = name
    }
}

/// A library prompt's identifier.
public typealias PromptID = ID<LibraryPrompt>
