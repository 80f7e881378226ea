/// A model of the server.
public struct Model: Codable, Hashable, Sendable {
    /// The state of a model.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is being downloaded.
        case fetching
        /// Its files are being read. Questions are queued until it is ready.
        case loading
        /// It is ready for questions.
        case ready
        /// It is being unloaded: its running answers finish, and nothing else starts.
        case unloading
        /// An administrator has unloaded it. It can be loaded again.
        case unloaded
        /// It is not in memory, since other models needed its memory: it is loaded when an answer
        /// needs it. Questions are queued until it is ready.
        case standby
        /// Downloading or loading it failed.
        case failed
    }

    /// Its name.
    public var name: String
    /// Its state.
    public var state: State
    /// Whether it answers in conversations that name no model; absent for no.
    public var isDefault: Bool?
    /// Maximum tokens of prompt and answer together, once it is ready or in standby.
    public var contextLength: Int?
    /// Maximum tokens of its thinking parts, where the server has a limit for this model; 0 lets it answer
    /// at once.
    public var maxThinkingTokens: Int?
    /// Progress of the download or of loading, 0 to 1.
    public var progress: Double?
    /// Figures of the download; for administrators only.
    public var fetch: FetchProgress?
    /// Why it failed and what to do; for administrators only.
    public var reason: String?
    /// The reason's code.
    public var reasonCode: SentenceCode?

    /// Creates a model.
    public init(
        name: String,
        state: State,
        isDefault: Bool? = nil,
        contextLength: Int? = nil,
        maxThinkingTokens: Int? = nil,
        progress: Double? = nil,
        fetch: FetchProgress? = nil,
        reason: String? = nil,
        reasonCode: SentenceCode? = nil
    ) {
        self.name = name
        self.state = state
        self.isDefault = isDefault
        self.contextLength = contextLength
        self.maxThinkingTokens = maxThinkingTokens
        self.progress = progress
        self.fetch = fetch
        self.reason = reason
        self.reasonCode = reasonCode
    }

    enum CodingKeys: String, CodingKey {
        case name, state, progress, fetch, reason
        case isDefault = "default"
        case contextLength = "context_length"
        case maxThinkingTokens = "max_thinking_tokens"
        case reasonCode = "reason_code"
    }
}
