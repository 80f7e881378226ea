// A remote engine as administrators see it.

/// An engine on another machine, as the asked node sees it; without its key.
public struct EngineSummary: Codable, Hashable, Sendable {
    /// Whether it gets requests.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It does.
        case available
        /// It failed: the next request decides whether it is available.
        case probing
        /// It failed, or is busy, and gets none for up to 30 s.
        case paused
        /// It gets none, as an administrator wants.
        case draining
        /// It was removed, and finishes its running answers.
        case removed
        /// It cannot be used on this node: its key, certificate or tokenizer cannot be read.
        case unusable
    }

    /// Where it is defined.
    public enum Source: String, Codable, Hashable, Sendable, CaseIterable {
        /// The settings of the asked node.
        case settings
        /// An administrator added it.
        case administrators
    }

    /// Its name in logs, metrics and receipts.
    public var label: String
    /// The base URL of its API.
    public var url: String
    /// The model's name for clients.
    public var model: String
    /// The model's name there.
    public var modelThere: String
    /// Where it is defined.
    public var source: Source
    /// Whether it gets requests.
    public var state: State
    /// What it is, and its version; absent before it answered.
    public var kind: String?
    /// Running answers of the asked node.
    public var running: Int
    /// How many answers it may run for the asked node.
    public var slots: Int
    /// Requests of all its clients that it runs, if its metrics tell.
    public var runningThere: Int?
    /// Those that wait there.
    public var waitingThere: Int?
    /// Maximum tokens of prompt and answer together, if known.
    public var contextLength: Int?
    /// Answers that it finished for the asked node since its start.
    public var finished: Int
    /// Requests of the asked node that failed since its start.
    public var failed: Int
    /// What was wrong last, and what an administrator can do; absent if nothing is.
    public var fault: String?

    enum CodingKeys: String, CodingKey {
        case label, url, model, source, state, kind, running, slots, finished, failed, fault
        case modelThere = "model_there"
        case runningThere = "running_there"
        case waitingThere = "waiting_there"
        case contextLength = "context_length"
    }

    /// Creates an engine that was not asked yet.
    public init(
        label: String,
        url: String,
        model: String,
        modelThere: String,
        source: Source,
        state: State,
        slots: Int
    ) {
        self.label = label
        self.url = url
        self.model = model
        self.modelThere = modelThere
        self.source = source
        self.state = state
        self.slots = slots
        running = 0
        finished = 0
        failed = 0
    }
}
