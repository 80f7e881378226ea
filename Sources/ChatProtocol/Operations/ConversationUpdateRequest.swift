// Changing a conversation, and looking at what its system prompt was.

/// `conversation.update`: the fields that are there change, the others stay.
public struct ConversationUpdateRequest: Sendable {
    /// Which.
    public var conversation: ConversationID
    /// A new title.
    public var title: String?
    /// A new system prompt of its own, empty for none at all; it counts from the next message on.
    public var systemPrompt: String?
    /// Whether the conversation goes back to the server's system prompt: `"system_prompt": null`.
    public var usesServerPrompt: Bool
    /// A new system prompt of its own, from a library; excludes `systemPrompt`.
    public var library: LibraryChoice?
    /// Another model; it answers from the next message on.
    public var model: String?
    /// New settings, all of them.
    public var settings: GenerationSettings?
    /// What becomes of a history that is too long.
    public var contextPolicy: ContextPolicy?
    /// Whether everybody in its team may join it; for owners, of a team's conversation.
    public var open: Bool?

    /// Puts a request together.
    public init(
        conversation: ConversationID,
        title: String? = nil,
        systemPrompt: String? = nil,
        usesServerPrompt: Bool = false,
        library: LibraryChoice? = nil,
        model: String? = nil,
        settings: GenerationSettings? = nil,
        contextPolicy: ContextPolicy? = nil,
        open: Bool? = nil
    ) {
        self.conversation = conversation
        self.open = open
        self.title = title
        self.systemPrompt = systemPrompt
        self.usesServerPrompt = usesServerPrompt
        self.library = library
        self.model = model
        self.settings = settings
        self.contextPolicy = contextPolicy
    }
}

extension ConversationUpdateRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case conversation, title, library, model, settings, open
        case systemPrompt = "system_prompt"
        case contextPolicy = "context_policy"
    }

    /// Reads the wire form, in which a system prompt of null is another thing than none.
    /// - Throws: `DecodingError` where it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let systemPrompt = try container.decodeIfPresent(String.self, forKey: .systemPrompt)
        self.init(
            conversation: try container.decode(ConversationID.self, forKey: .conversation),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            systemPrompt: systemPrompt,
            usesServerPrompt: systemPrompt == nil && container.contains(.systemPrompt),
            library: try container.decodeIfPresent(LibraryChoice.self, forKey: .library),
            model: try container.decodeIfPresent(String.self, forKey: .model),
            settings: try container.decodeIfPresent(GenerationSettings.self, forKey: .settings),
            contextPolicy: try container.decodeIfPresent(
                ContextPolicy.self,
                forKey: .contextPolicy
            ),
            open: try container.decodeIfPresent(Bool.self, forKey: .open)
        )
    }

    /// Writes the wire form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(conversation, forKey: .conversation)
        try container.encodeIfPresent(title, forKey: .title)
        if usesServerPrompt {
            try container.encodeNil(forKey: .systemPrompt)
        } else {
            try container.encodeIfPresent(systemPrompt, forKey: .systemPrompt)
        }
        try container.encodeIfPresent(library, forKey: .library)
        try container.encodeIfPresent(model, forKey: .model)
        try container.encodeIfPresent(settings, forKey: .settings)
        try container.encodeIfPresent(contextPolicy, forKey: .contextPolicy)
        try container.encodeIfPresent(open, forKey: .open)
    }
}

/// `conversation.prompts`: the versions of a conversation's system prompt.
public struct ConversationPromptsRequest: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The version that the page ends before; without one, the newest page.
    public var before: Int?
    /// How many at most.
    public var limit: Int?

    /// Puts a request together.
    public init(conversation: ConversationID, before: Int? = nil, limit: Int? = nil) {
        self.conversation = conversation
        self.before = before
        self.limit = limit
    }
}

/// The reply of `conversation.prompts`.
public struct ConversationPromptsReply: Codable, Sendable {
    /// The version that counts now; nil where the conversation has none, and neither has the server.
    public var current: SystemPromptVersion?
    /// What conversations without one of their own have; nil where nothing was set.
    public var server: SystemPrompt?
    /// The conversation's own versions, the newest first.
    public var prompts: [SystemPrompt]
    /// Whether there are older ones.
    public var more: Bool

    /// Puts a reply together.
    public init(
        current: SystemPromptVersion?,
        server: SystemPrompt?,
        prompts: [SystemPrompt],
        more: Bool
    ) {
        self.current = current
        self.server = server
        self.prompts = prompts
        self.more = more
    }
}
