// The user for whom another system's conversations are imported.

public import ChatProtocol

/// The importing user and the import's time.
public struct ForeignImporter: Sendable {
    /// The owner of the imported conversations; nil if the loader of the records sets it.
    public var user: UserID?
    /// The current time, used for objects without a time of their own.
    public var time: Timestamp
    /// A namespace for derived ids, so that other importers' conversations get other ids.
    public var namespace: String

    /// Describes an import.
    /// - Parameters:
    ///   - user: the owner of the imported conversations.
    ///   - time: the current time.
    ///   - namespace: the namespace of derived ids; nil for the user's own.
    public init(user: UserID?, time: Timestamp, namespace: String? = nil) {
        self.user = user
        self.time = time
        self.namespace = namespace ?? user?.description ?? ""
    }

    /// An import whose owner is set when the records are loaded. Loaders find existing
    /// conversations by their source; the namespace is random, so no report reveals what others
    /// imported.
    public static func forLoader() -> ForeignImporter {
        let number = UInt64.random(in: .min ... .max)
        return ForeignImporter(user: nil, time: .now, namespace: "import \(number)")
    }
}
