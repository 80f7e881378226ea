// What a model takes, known before it is fetched.

/// A model's files on the hub: their sizes, and its configuration.
public struct ModelSize: Sendable {
    /// The commit.
    public let commit: String
    /// Bytes of all files that a pull fetches.
    public let totalBytes: Int
    /// Bytes of the files with weights.
    public let weightBytes: Int
    /// The content of `config.json`.
    public let configuration: [UInt8]
}

extension ModelPull {
    /// Maximum size of `config.json` in bytes.
    private static let configurationBytesMax = 1 << 20

    /// Asks the hub for the size of `name` at `revision`; fetches nothing but the configuration, and
    /// stores nothing.
    /// - Returns: the size.
    /// - Throws: why it is not known.
    public func size(
        of name: ModelName,
        revision: String = "main"
    ) async throws(HubError) -> ModelSize {
        defer { client.close() }
        guard !configuration.isOffline else { throw .offline(name, missing: "config.json") }
        let listing = try await list(PullTarget(name), try Revision(revision))
        let weights = listing.files.filter { RepositoryFile.isWeights($0.path) }
        return ModelSize(
            commit: listing.commit,
            totalBytes: listing.files.reduce(0) { $0 + $1.byteCount },
            weightBytes: weights.reduce(0) { $0 + $1.byteCount },
            configuration: try await client.file(
                "config.json",
                of: name,
                listing.commit,
                limit: Self.configurationBytesMax
            )
        )
    }
}
