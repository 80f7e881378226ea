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
            // For a team's library; users need no right for their own.
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
            // For a team's library; users need no right for their own.
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
            // For a team's library; users need no right for their own.
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
            // For a team's library; users need no right for their own.
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
            // For a team's library; users need no right for their own.
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
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// The team whose library it is added to; absent for the user's own.
    public var team: TeamID?
    /// Its name.
    public var name: String
    /// Its text.
    public var text: String

    /// Creates a request.
    public init(key: String, team: TeamID? = nil, name: String, text: String) {
        self.key = key
        self.team = team
        self.name = name
        self.text = text
    }
}

/// `prompt.update`: creates the next version.
public struct PromptUpdateRequest: Codable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// The new text.
    public var text: String
    /// The new name; unchanged if absent.
    public var name: String?
    /// The version that the user edited: if it is no longer the newest, the request fails.
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
    /// The team whose library it is; absent for the user's own.
    public var team: TeamID?

    /// Creates a request.
    public init(team: TeamID? = nil) {
        self.team = team
    }
}

/// `prompt.versions`: lists a prompt's versions.
public struct PromptVersionsRequest: Codable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// The version that the page ends before; absent for the newest page.
    public var before: Int?
    /// Maximum number of entries.
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

/// A library prompt that a conversation uses as its system prompt.
public struct LibraryChoice: Hashable, Sendable {
    /// The prompt.
    public var prompt: PromptID
    /// The version; absent for the newest.
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
    /// The prompt in its current state.
    public var prompt: LibraryPrompt

    /// Creates a reply.
    public init(prompt: LibraryPrompt) {
        self.prompt = prompt
    }
}

/// The reply of `prompt.list`.
public struct PromptListReply: Codable, Sendable {
    /// All prompts of the library, by name.
    public var prompts: [LibraryPrompt]

    /// Creates a reply.
    public init(prompts: [LibraryPrompt]) {
        self.prompts = prompts
    }
}

/// The reply of `prompt.versions`.
public struct PromptVersionsReply: Codable, Sendable {
    /// The versions, newest first.
    public var versions: [LibraryText]
    /// Whether there are older ones.
    public var more: Bool

    /// Creates a reply.
    public init(versions: [LibraryText], more: Bool) {
        self.versions = versions
        self.more = more
    }
}
