// The result of verifying a cached file.

/// The state of one file of the cache.
public struct VerifiedFile: Sendable, Hashable, Codable {
    /// The result.
    public enum State: String, Sendable, Codable {
        /// The content matches its digest.
        case whole
        /// The content does not match its digest, or cannot be read.
        case damaged
        /// The file has no content on disk.
        case missing
        /// The expected content is unknown: the file is not a link to a blob.
        case unknown
    }

    /// The file's name.
    public let file: String
    /// The commit that it belongs to.
    public let commit: String
    /// The result.
    public let state: State
    /// The content's size in bytes; 0 if it is missing.
    public let bytes: Int
}
