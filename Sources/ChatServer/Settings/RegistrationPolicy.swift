/// Who may create an account.
public enum RegistrationPolicy: String, Sendable, CaseIterable {
    /// Administrators only.
    case closed
    /// Anyone with an invitation from an administrator.
    case invite
}
