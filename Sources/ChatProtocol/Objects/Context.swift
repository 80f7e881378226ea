// What a model gets besides the messages: system prompts by version, and what happens to a history
// that is longer than its context.

/// What happens to a history that does not fit into the model's context.
public enum ContextPolicy: String, Codable, Hashable, Sendable, CaseIterable {
    /// The oldest turns are left out.
    case dropOldest = "drop_oldest"
    /// The question is refused.
    case refuse
    /// The oldest turns are replaced by a summary, which the same model writes when no answer is
    /// queued. Until then, they are left out.
    case summarize
}

/// A version of a system prompt. A version never changes: a new text is a new version.
public struct SystemPromptVersion: Codable, Hashable, Sendable {
    /// Whose system prompt it is.
    public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
        /// The default for conversations without their own.
        case server
        /// The conversation's own.
        case conversation
    }

    /// Whose it is.
    public var scope: Scope
    /// The version's number in that scope, from 1.
    public var version: Int
    /// The version of a library prompt that the text was taken from, if any.
    public var library: LibraryVersion?

    /// Creates a reference to a version.
    public init(scope: Scope, version: Int, library: LibraryVersion? = nil) {
        self.scope = scope
        self.version = version
        self.library = library
    }
}

/// A version of a system prompt.
public struct SystemPrompt: Codable, Hashable, Sendable {
    /// Whose it is.
    public var scope: SystemPromptVersion.Scope
    /// The version's number in that scope.
    public var version: Int
    /// The text; empty for no system prompt.
    public var text: String
    /// The author; nil for the server's prompt, and if the account was deleted.
    public var author: User?
    /// When it took effect.
    public var createdAt: Timestamp
    /// The version of a library prompt that the text was taken from, if any.
    public var library: LibraryVersion?

    /// Creates a version.
    public init(
        scope: SystemPromptVersion.Scope,
        version: Int,
        text: String,
        author: User?,
        createdAt: Timestamp,
        library: LibraryVersion? = nil
    ) {
        self.scope = scope
        self.version = version
        self.text = text
        self.author = author
        self.createdAt = createdAt
        self.library = library
    }

    enum CodingKeys: String, CodingKey {
        case scope, version, text, author, library
        case createdAt = "created_at"
    }
}

/// The identifier of a summary of the beginning of a branch.
public typealias SummaryID = ID<Summary>
/// A summary; declared only for the type `SummaryID`.
public enum Summary {}
