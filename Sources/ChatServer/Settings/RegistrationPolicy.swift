/// Who may make an account.
public enum RegistrationPolicy: String, Sendable, CaseIterable {
    /// Administrators make them.
    case closed
    /// Whoever has an invitation that an administrator made.
    case invite
}
