// What the cache holds of a model.

/// One commit of a model in the cache.
public struct CachedModel: Sendable, Hashable, Codable {
    /// The model, as `organization/name`.
    public let model: String
    /// The commit: 40 hexadecimal digits.
    public let commit: String
    /// The branches and tags that stood for the commit when they were last asked for.
    public let revisions: [String]
    /// The snapshot's folder, which exists where the model is complete.
    public let folder: String
    /// The bytes on the disk; what several commits share counts for each.
    public let bytes: Int
    /// The files that are missing; empty where the model is complete.
    public let missing: [String]

    init(
        name: ModelName,
        commit: String,
        revisions: [String],
        folder: String,
        byteCount: Int,
        missing: [String]
    ) {
        model = name.description
        self.commit = commit
        self.revisions = revisions
        self.folder = folder
        bytes = byteCount
        self.missing = missing
    }

    /// Whether the model can be run without fetching anything.
    public var isComplete: Bool { missing.isEmpty }
}
