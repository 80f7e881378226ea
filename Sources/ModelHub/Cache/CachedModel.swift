// What the cache holds of one model.

/// One commit of a model in the cache.
public struct CachedModel: Sendable, Hashable, Codable {
    /// The model, as `organization/name`.
    public let model: String
    /// The commit: 40 hexadecimal digits.
    public let commit: String
    /// The branches and tags that pointed to the commit at the last request to the hub.
    public let revisions: [String]
    /// The snapshot's folder; exists if the model is complete.
    public let folder: String
    /// Bytes on disk; blobs that several commits share count for each.
    public let bytes: Int
    /// The files that are missing; empty if the model is complete.
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

    /// Whether the model can run without a download.
    public var isComplete: Bool { missing.isEmpty }
}
