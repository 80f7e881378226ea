// Changing a conversation, and listing the versions of its system prompt.

/// `conversation.update`: changes the fields that are present.
public struct ConversationUpdateRequest: Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// A new title.
    public var title: String?
    /// A new system prompt, empty for none; it applies from the next message on.
    public var systemPrompt: String?
    /// Whether to return to the server's system prompt: `"system_prompt": null`.
    public var usesServerPrompt: Bool
    /// A library prompt as the new system prompt; excludes `systemPrompt`.
    public var library: LibraryChoice?
    /// Another model, which answers from the next message on.
    public var model: String?
    /// New generation settings, which replace all previous ones.
    public var settings: GenerationSettings?
    /// What happens when the history exceeds the context.
    public var contextPolicy: ContextPolicy?
    /// Whether all members of its team may join it; only its owners may change that.
    public var open: Bool?

    /// Creates a request.
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

    /// Reads the wire form, in which a null system prompt differs from an absent one.
    /// - Throws: `DecodingError` if it is malformed.
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
    /// The conversation.
    public var conversation: ConversationID
    /// The version that the page ends before; without one, the newest page.
    public var before: Int?
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(conversation: ConversationID, before: Int? = nil, limit: Int? = nil) {
        self.conversation = conversation
        self.before = before
        self.limit = limit
    }
}

/// The reply of `conversation.prompts`.
public struct ConversationPromptsReply: Codable, Sendable {
    /// The version in use; nil if neither the conversation nor the server has a system prompt.
    public var current: SystemPromptVersion?
    /// The server's version, for conversations without their own; nil if it was never set.
    public var server: SystemPrompt?
    /// The conversation's own versions, newest first.
    public var prompts: [SystemPrompt]
    /// Whether there are older ones.
    public var more: Bool

    /// Creates a reply.
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
