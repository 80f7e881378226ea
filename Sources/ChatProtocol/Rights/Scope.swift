/// What a credential allows: all for a sign-in, what it was created with for an API key.
public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
    /// Read conversations.
    case read
    /// Create and change conversations, and request answers.
    case write
    /// Change one's account: password, sign-ins, keys.
    case account
    /// What only administrators of the server may do.
    case administer
    /// Request answers by OpenAI's API.
    case complete
}
