/// A model that the server can answer with.
public struct Model: Codable, Hashable, Sendable {
    /// Whether it can answer now.
    public enum State: String, Codable, Hashable, Sendable {
        /// Its files are being read.
        case loading
        /// It answers.
        case ready
        /// It could not be loaded; the server's log says why.
        case failed
    }

    /// What it is called.
    public var name: String
    /// The longest prompt and answer together, in tokens.
    public var contextLength: Int
    /// Whether it can answer now.
    public var state: State
    /// How much of it is loaded, 0 to 1, while it loads.
    public var progress: Double?

    /// Puts a model together.
    public init(name: String, contextLength: Int, state: State, progress: Double? = nil) {
        self.name = name
        self.contextLength = contextLength
        self.state = state
        self.progress = progress
    }

    enum CodingKeys: String, CodingKey {
        case name, state, progress
        case contextLength = "context_length"
    }
}
