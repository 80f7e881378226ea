/// A model that the server can answer with.
public struct Model: Codable, Hashable, Sendable {
    /// What it is doing.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is being fetched from the hub.
        case fetching
        /// Its files are being read. Questions are taken, and answered when it is ready.
        case loading
        /// It answers.
        case ready
        /// It could not be fetched or loaded.
        case failed
    }

    /// What it is called.
    public var name: String
    /// What it is doing.
    public var state: State
    /// Whether conversations that name no model are answered by this one; absent for no.
    public var isDefault: Bool?
    /// The longest prompt and answer together, in tokens, once it is ready.
    public var contextLength: Int?
    /// How much of it is fetched or loaded, 0 to 1, while it is.
    public var progress: Double?
    /// The figures of its fetching; told to administrators only.
    public var fetch: FetchProgress?
    /// Why it failed and what to do; told to administrators only.
    public var reason: String?

    /// Puts a model together.
    public init(
        name: String,
        state: State,
        isDefault: Bool? = nil,
        contextLength: Int? = nil,
        progress: Double? = nil,
        fetch: FetchProgress? = nil,
        reason: String? = nil
    ) {
        self.name = name
        self.state = state
        self.isDefault = isDefault
        self.contextLength = contextLength
        self.progress = progress
        self.fetch = fetch
        self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
        case name, state, progress, fetch, reason
        case isDefault = "default"
        case contextLength = "context_length"
    }
}
