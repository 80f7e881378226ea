/// Who may have models fetched from the hub through the server.
public enum ModelPullPolicy: String, CaseIterable, Sendable {
    /// Those who administer it.
    case administrators
    /// Nobody: the server asks no other host for anything.
    case off
}
