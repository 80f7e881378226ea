/// Who may download models from the hub through the server.
public enum ModelPullPolicy: String, CaseIterable, Sendable {
    /// Administrators of the server.
    case administrators
    /// Nobody: the server sends no requests to the hub.
    case off
}
