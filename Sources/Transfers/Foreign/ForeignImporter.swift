// For whom another system's conversations are read.

public import ChatProtocol

/// Who imports, and when.
public struct ForeignImporter: Sendable {
    /// Whose conversations they become; nil where whoever loads the records says so.
    public var user: UserID?
    /// The present: what has no time of its own gets this one.
    public var time: Timestamp
    /// What tells the identifiers of this importer's conversations from everybody else's.
    public var namespace: String

    /// Names an importer.
    /// - Parameters:
    ///   - user: whose conversations they become.
    ///   - time: the present.
    ///   - namespace: what identifiers are made of besides the source; nil for the user's own.
    public init(user: UserID?, time: Timestamp, namespace: String? = nil) {
        self.user = user
        self.time = time
        self.namespace = namespace ?? user?.description ?? ""
    }

    /// Whoever loads the records. By the source they know what they have; an identifier need only be
    /// nobody else's, so that no report tells what others imported.
    public static func whoeverLoads() -> ForeignImporter {
        let number = UInt64.random(in: .min ... .max)
        return ForeignImporter(user: nil, time: .now, namespace: "import \(number)")
    }
}
