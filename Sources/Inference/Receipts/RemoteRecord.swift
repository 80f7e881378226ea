// What a receipt says of an answer that a remote engine generated. What only an engine of this process
// knows (kernels, rotary embedding, token ids) is unknown then.

/// The remote engine of an answer.
public struct RemoteRecord: Codable, Sendable, Hashable {
    /// Where the chat template was applied.
    public enum Place: String, Codable, Sendable, Hashable {
        /// By this server: the engine got token ids, and no message could become a special token.
        case here
        /// By the engine, which got messages.
        case elsewhere
    }

    /// Whose numbers of tokens are charged.
    public enum Usage: String, Codable, Sendable, Hashable {
        /// The engine's.
        case told
        /// This server's, as the engine told none, or none that can be true.
        case counted
    }

    /// Its name in the settings.
    public var engine: String
    /// What it is, such as "vLLM".
    public var kind: String
    /// Its version, if it tells.
    public var version: String?
    /// The model's name there.
    public var model: String
    /// Where the chat template was applied.
    public var template: Place
    /// Whose numbers of tokens are charged.
    public var usage: Usage
    /// Number of requests for the answer, to all engines together.
    public var requests: Int

    /// Creates a record.
    public init(
        engine: String,
        kind: String,
        version: String?,
        model: String,
        template: Place,
        usage: Usage,
        requests: Int
    ) {
        self.engine = engine
        self.kind = kind
        self.version = version
        self.model = model
        self.template = template
        self.usage = usage
        self.requests = requests
    }
}
