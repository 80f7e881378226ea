// One engine as administrators and metrics see it.

/// One remote engine of one model, as this node sees it.
public struct RemoteStatus: Sendable, Hashable {
    /// Whether it gets requests.
    public enum State: Sendable, Hashable {
        /// It does.
        case available
        /// It failed: the next request decides whether it is available.
        case probing
        /// It failed, or is busy: it gets none for up to 30 s.
        case paused
        /// It gets none, as an administrator wants.
        case draining
        /// It was removed, and finishes its running answers.
        case removed
    }

    /// Its label.
    public var label: String
    /// Scheme, host and port.
    public var origin: String
    /// What it is, and its version; nil before it was asked.
    public var kind: String?
    /// Whether it takes token ids, and so prompts without a chat template; nil likewise.
    public var takesTokens: Bool?
    /// Whether it takes presence and frequency penalties, and biases of tokens; nil likewise.
    public var adjustsLogits: Bool?
    /// Whether it takes a limit of thinking parts, if its kind is known.
    public var limitsThinking: Bool?
    /// Running answers of this node.
    public var running: Int
    /// How many answers it may run for this node.
    public var slots: Int
    /// Maximum tokens of prompt and answer together, if known.
    public var contextLength: Int?
    /// The requests of all its clients that it runs, as its metrics told last; nil if they were not
    /// read, or do not tell.
    public var runningThere: Int?
    /// Those that wait there.
    public var waitingThere: Int?
    /// Answers that it finished.
    public var finished: Int
    /// Requests that failed.
    public var failed: Int
    /// Whether it gets requests.
    public var state: State
    /// What was wrong last, for administrators; nil if nothing is.
    public var fault: String?

    /// Whether it gets requests now.
    public var isAvailable: Bool { state == .available || state == .probing }
}
