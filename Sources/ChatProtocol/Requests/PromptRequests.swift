// What the operations on libraries of prompts take and answer.

/// `prompt.create`.
public struct PromptCreateRequest: Codable, Sendable {
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// The team whose library it is for; without one, the asker's own.
    public var team: TeamID?
    /// What to call it.
    public var name: String
    /// What it says.
    public var text: String

    /// Puts a request together.
    public init(key: String, team: TeamID? = nil, name: String, text: String) {
        self.key = key
        self.team = team
        self.name = name
        self.text = text
    }
}

/// `prompt.update`: makes the next version.
public struct PromptUpdateRequest: Codable, Sendable {
    /// Which.
    public var prompt: PromptID
    /// What it says from now on.
    public var text: String
    /// What to call it from now on; without one, as before.
    public var name: String?
    /// The version that the asker saw: where it is not the newest any more, nothing is changed.
    public var version: Int

    /// Puts a request together.
    public init(prompt: PromptID, text: String, name: String? = nil, version: Int) {
        self.prompt = prompt
        self.text = text
        self.name = name
        self.version = version
    }
}

/// `prompt.list`.
public struct PromptListRequest: Codable, Sendable {
    /// The team whose library it is; without one, the asker's own.
    public var team: TeamID?

    /// Puts a request together.
    public init(team: TeamID? = nil) {
        self.team = team
    }
}

/// `prompt.versions`: a prompt's texts.
public struct PromptVersionsRequest: Codable, Sendable {
    /// Which.
    public var prompt: PromptID
    /// The version that the page ends before; without one, the newest page.
    public var before: Int?
    /// How many at most.
    public var limit: Int?

    /// Puts a request together.
    public init(prompt: PromptID, before: Int? = nil, limit: Int? = nil) {
        self.prompt = prompt
        self.before = before
        self.limit = limit
    }
}

/// `prompt.delete`.
public struct PromptDeleteRequest: Codable, Sendable {
    /// Which.
    public var prompt: PromptID

    /// Puts a request together.
    public init(prompt: PromptID) {
        self.prompt = prompt
    }
}

/// What of a library a conversation takes as its system prompt.
public struct LibraryChoice: Codable, Hashable, Sendable {
    /// Which prompt.
    public var prompt: PromptID
    /// Which version of it; without one, the newest.
    public var version: Int?

    /// Puts a choice together.
    public init(prompt: PromptID, version: Int? = nil) {
        self.prompt = prompt
        self.version = version
    }
}

/// The reply of `prompt.create` and `prompt.update`.
public struct PromptReply: Codable, Sendable {
    /// The prompt, as it is now.
    public var prompt: LibraryPrompt

    /// Puts a reply together.
    public init(prompt: LibraryPrompt) {
        self.prompt = prompt
    }
}

/// The reply of `prompt.list`.
public struct PromptListReply: Codable, Sendable {
    /// All of the library, by name.
    public var prompts: [LibraryPrompt]

    /// Puts a reply together.
    public init(prompts: [LibraryPrompt]) {
        self.prompts = prompts
    }
}

/// The reply of `prompt.versions`.
public struct PromptVersionsReply: Codable, Sendable {
    /// The versions, the newest first.
    public var versions: [LibraryText]
    /// Whether there are older ones.
    public var more: Bool

    /// Puts a reply together.
    public init(versions: [LibraryText], more: Bool) {
        self.versions = versions
        self.more = more
    }
}
