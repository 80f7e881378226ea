// Operations on system prompts and on the libraries that they come from.

extension Operation {
    /// Lists the versions of a conversation's system prompt.
    public static var conversationPrompts:
        Operation<ConversationPromptsRequest, ConversationPromptsReply>
    {
        .init(
            "conversation.prompts",
            requires: .conversation(.read),
            scope: .read,
            takes: "`conversation`, `before?` (a version), `limit?`",
            replies: "`{current?, server?, prompts, more}`, the newest first",
            examples: [
                ConversationPromptsRequest(conversation: .example(1), before: 7, limit: 50)
            ]
        )
    }

    /// Adds a prompt to a library.
    public static var promptCreate: Operation<PromptCreateRequest, PromptReply> {
        .init(
            "prompt.create",
            // Of a team's library; one's own needs nothing.
            requires: .team(.managePrompts),
            scope: .write,
            takes: """
                `key`, `team?` (without: the user's own library), `name` (1-64 characters), `text`
                """,
            replies: "`{prompt}`; a library holds 500",
            examples: [
                PromptCreateRequest(
                    key: "k-3",
                    team: .example(10),
                    name: "Brief",
                    text: "Be brief."
                ),
                PromptCreateRequest(key: "k-4", name: "Brief", text: "Be brief."),
            ]
        )
    }

    /// Creates the next version of a prompt.
    public static var promptUpdate: Operation<PromptUpdateRequest, PromptReply> {
        .init(
            "prompt.update",
            // Of a team's library; one's own needs nothing.
            requires: .team(.managePrompts),
            scope: .write,
            takes: "`prompt`, `text`, `name?`, `version` (which the user saw)",
            replies: "`{prompt}`: its next version; `conflict` where another is the newest",
            examples: [
                PromptUpdateRequest(
                    prompt: .example(13),
                    text: "Be terse.",
                    name: "Terse",
                    version: 2
                )
            ]
        )
    }

    /// Lists the prompts of a library.
    public static var promptList: Operation<PromptListRequest, PromptListReply> {
        .init(
            "prompt.list",
            // Of a team's library; one's own needs nothing.
            requires: .team(.see),
            scope: .read,
            takes: "`team?`",
            replies: "`{prompts}`, by name",
            examples: [
                PromptListRequest(),
                PromptListRequest(team: .example(10)),
            ]
        )
    }

    /// Lists the versions of a prompt.
    public static var promptVersions: Operation<PromptVersionsRequest, PromptVersionsReply> {
        .init(
            "prompt.versions",
            // Of a team's library; one's own needs nothing.
            requires: .team(.see),
            scope: .read,
            takes: "`prompt`, `before?` (a version), `limit?`",
            replies: "`{versions, more}`, the newest first",
            examples: [PromptVersionsRequest(prompt: .example(13), before: 3, limit: 10)]
        )
    }

    /// Deletes a prompt from its library.
    public static var promptDelete: Operation<PromptDeleteRequest, EmptyReply> {
        .init(
            "prompt.delete",
            // Of a team's library; one's own needs nothing.
            requires: .team(.managePrompts),
            scope: .write,
            takes: "`prompt`",
            replies: "`{}`; its versions can be read on; idempotent",
            examples: [PromptDeleteRequest(prompt: .example(13))]
        )
    }
}

extension OperationDefinition {
    static let prompts: [OperationDefinition] = [
        .init(.conversationPrompts),
        .init(.promptCreate),
        .init(.promptUpdate),
        .init(.promptList),
        .init(.promptVersions),
        .init(.promptDelete),
    ]
}

// MARK: Requests and replies

/// `prompt.create`.
public struct PromptCreateRequest: Codable, Sendable {
    /// An idempotency key, unique for its user: a repeated request creates nothing twice.
    public var key: String
    /// The team whose library it is for; without one, the user's own.
    public var team: TeamID?
    /// What to call it.
    public var name: String
    /// What it says.
    public var text: String

    /// Creates a request.
    public init(key: String, team: TeamID? = nil, name: String, text: String) {
        self.key = key
        self.team = team
        self.name = name
        self.text = text
    }
}

/// `prompt.update`: makes the next version.
public struct PromptUpdateRequest: Codable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// What it says from now on.
    public var text: String
    /// What to call it from now on; without one, as before.
    public var name: String?
    /// The version that the user saw: where it is not the newest any more, nothing is changed.
    public var version: Int

    /// Creates a request.
    public init(prompt: PromptID, text: String, name: String? = nil, version: Int) {
        self.prompt = prompt
        self.text = text
        self.name = name
        self.version = version
    }
}

/// `prompt.list`.
public struct PromptListRequest: Codable, Sendable {
    /// The team whose library it is; without one, the user's own.
    public var team: TeamID?

    /// Creates a request.
    public init(team: TeamID? = nil) {
        self.team = team
    }
}

/// `prompt.versions`: a prompt's texts.
public struct PromptVersionsRequest: Codable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// The version that the page ends before; without one, the newest page.
    public var before: Int?
    /// The largest number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(prompt: PromptID, before: Int? = nil, limit: Int? = nil) {
        self.prompt = prompt
        self.before = before
        self.limit = limit
    }
}

/// `prompt.delete`.
public struct PromptDeleteRequest: Codable, Sendable {
    /// The prompt.
    public var prompt: PromptID

    /// Creates a request.
    public init(prompt: PromptID) {
        self.prompt = prompt
    }
}

/// What of a library a conversation takes as its system prompt.
public struct LibraryChoice: Hashable, Sendable {
    /// Which prompt.
    public var prompt: PromptID
    /// Which version of it; without one, the newest.
    public var version: Int?

    /// Creates a choice.
    public init(prompt: PromptID, version: Int? = nil) {
        self.prompt = prompt
        self.version = version
    }
}

extension LibraryChoice: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case prompt, version }

    /// Reads the wire form; in a request, an unknown field is an error.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownFields(besides: CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            prompt: try container.decode(PromptID.self, forKey: .prompt),
            version: try container.decodeIfPresent(Int.self, forKey: .version)
        )
    }
}

/// The reply of `prompt.create` and `prompt.update`.
public struct PromptReply: Codable, Sendable {
    /// The prompt, as it is now.
    public var prompt: LibraryPrompt

    /// Creates a reply.
    public init(prompt: LibraryPrompt) {
        self.prompt = prompt
    }
}

/// The reply of `prompt.list`.
public struct PromptListReply: Codable, Sendable {
    /// All of the library, by name.
    public var prompts: [LibraryPrompt]

    /// Creates a reply.
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

    /// Creates a reply.
    public init(versions: [LibraryText], more: Bool) {
        self.versions = versions
        self.more = more
    }
}
