// What reading a model's files again brought to light.

/// What a file of the cache turned out to be.
public struct VerifiedFile: Sendable, Hashable, Codable {
    /// What was found.
    public enum State: String, Sendable, Codable {
        /// The content is what its digest says.
        case whole
        /// The content is something else, or cannot be read.
        case damaged
        /// There is no content.
        case missing
        /// Nobody knows what the content should be: the file is no link to a blob.
        case unknown
    }

    /// The file's name.
    public let file: String
    /// The commit that it belongs to.
    public let commit: String
    /// What was found.
    public let state: State
    /// The content's size; 0 where there is none.
    public let bytes: Int
}
