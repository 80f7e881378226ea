// What a model is given besides the messages: system prompts by version, and what happens to a history
// that is longer than its context.

/// What becomes of a history that does not fit into the model's context.
public enum ContextPolicy: String, Codable, Hashable, Sendable, CaseIterable {
    /// The oldest turns are left out.
    case dropOldest = "drop_oldest"
    /// The question is not answered.
    case refuse
    /// The oldest turns are given as a summary, which the same model writes when nothing else waits.
    /// Until there is one, they are left out.
    case summarize
}

/// Which system prompt: texts are never changed, a change makes the next version.
public struct SystemPromptVersion: Codable, Hashable, Sendable {
    /// Whose system prompt it is.
    public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
        /// That of all conversations that have none of their own.
        case server
        /// The conversation's own.
        case conversation
    }

    /// Whose it is.
    public var scope: Scope
    /// Which one of that scope, from 1.
    public var version: Int
    /// Which version of a library's prompt its text was taken from, where it was.
    public var library: LibraryVersion?

    /// Names a version.
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
    /// Which one of that scope.
    public var version: Int
    /// What the model is told; empty for nothing.
    public var text: String
    /// Who wrote it; nil for the server's, and where they are gone.
    public var author: User?
    /// When it began to count.
    public var createdAt: Timestamp
    /// Which version of a library's prompt the text was taken from, where it was.
    public var library: LibraryVersion?

    /// Puts a version together.
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
/// A summary; here only to give `SummaryID` its type.
public enum Summary {}
