// What a pull has to fetch.

/// A model's size, and how much of it the cache lacks.
public struct PullPlan: Sendable {
    /// The commit that would be fetched.
    public let commit: String
    /// Bytes of all files.
    public let totalBytes: Int
    /// Bytes that are not on the disk.
    public let missingBytes: Int
    /// The names of all files.
    public let files: [String]
    /// The incomplete files, small ones first: if a configuration file cannot be fetched, the pull
    /// fails before it fetches weights.
    let missing: [RepositoryFile]

    /// Reads `folder`; blocking.
    init(_ listing: RepositoryListing, in folder: ModelFolder) {
        commit = listing.commit
        files = listing.files.map(\.path).sorted()
        totalBytes = listing.files.reduce(0) { $0 + $1.byteCount }
        // Identical content under two names is fetched once.
        var digests: Set<ContentDigest> = []
        let missing = listing.files.filter { !folder.has($0) && digests.insert($0.digest).inserted }
        missingBytes = missing.reduce(0) { $0 + $1.byteCount - folder.partialBytes($1) }
        self.missing = missing.sorted { ($0.byteCount, $0.path) < ($1.byteCount, $1.path) }
    }
}
