/// Who may have models fetched from the hub through the server.
public enum ModelPullPolicy: String, CaseIterable, Sendable {
    /// Those who administer it.
    case administrators
    /// Nobody: the server asks no hub for anything.
    case off
}
