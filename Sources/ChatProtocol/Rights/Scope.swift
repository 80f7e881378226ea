/// What a credential is good for. A sign-in is good for all, an API key for what it was made for.
public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
    /// See conversations and what is in them.
    case read
    /// Begin and change them, and ask for answers.
    case write
    /// Change one's account: password, sign-ins, keys.
    case account
    /// What only administrators of the server may do.
    case administer
}
