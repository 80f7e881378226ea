/// Who may make teams.
public enum TeamCreationPolicy: String, CaseIterable, Sendable {
    /// Those who administer the server.
    case administrators
    /// Whoever has an account.
    case everyone
}
