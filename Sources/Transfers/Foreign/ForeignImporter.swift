// For whom another system's conversations are read.

public import ChatProtocol

/// Who imports, and when.
public struct ForeignImporter: Sendable {
    /// Whose conversations they become; nil where whoever loads the records says so.
    public var user: UserID?
    /// The present: what has no time of its own gets this one.
    public var time: Timestamp

    /// Names an importer.
    public init(user: UserID?, time: Timestamp) {
        self.user = user
        self.time = time
    }
}
