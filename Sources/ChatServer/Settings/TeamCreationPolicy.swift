/// Who may create teams.
public enum TeamCreationPolicy: String, CaseIterable, Sendable {
    /// Administrators of the server.
    case administrators
    /// Everyone with an account.
    case everyone
}
