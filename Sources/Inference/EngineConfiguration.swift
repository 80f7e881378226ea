// The engine's settings and their bounds: the one place where these numbers stand.

import Glibc
public import PhiModel

/// How much an engine does at once. Every value is checked when it is made.
public struct EngineConfiguration: Sendable, Hashable {
    /// Answers that grow at the same time.
    public let slots: Int
    /// Threads that compute one step together.
    public let threads: Int
    /// Requests that may wait for a slot; one more is answered with `.busy`.
    public let queueLimit: Int
    /// Prompt tokens read in one step, over all sequences; fewer while answers grow.
    public let prefillChunk: Int
    /// Positions of prompt and answer together; the model's own context where that is smaller.
    public let contextLimit: Int
    /// The memory for keys and values, in MiB: of the answers that grow, and of those before, whose
    /// beginnings need not be read again. One answer of full length has room in any case.
    public let keyValueMebibytes: Int
    /// Whether tokens that an answer may go on with are computed before they are drawn, where that
    /// makes it faster. What is drawn is the same.
    public let speculates: Bool
    /// How runs get LongRoPE's factor set, where the model has LongRoPE and a request says nothing
    /// else.
    public let ropeRule: RopeRule

    /// The ranges of the values, by setting.
    public static let slotsRange = 1...256
    /// See `threads`.
    public static let threadsRange = 1...256
    /// See `queueLimit`.
    public static let queueLimitRange = 0...100_000
    /// See `prefillChunk`.
    public static let prefillChunkRange = 1...8192
    /// See `contextLimit`.
    public static let contextLimitRange = 16...1_048_576

    /// See `keyValueMebibytes`.
    public static let keyValueMebibytesRange = 1...(1 << 24)

    /// `threads(onProcessors:)` of those that this process may use.
    public static let threadsDefault = threads(onProcessors: ProcessorCount.available)

    /// How many threads suit so many processors: all of one or two, else all but one. The loop shares its
    /// processor with one of them, which it preempts at once; on two, a processor of its own would cost half
    /// of the speed of prompts. From three on it costs less, and what runs beside the engine needs more:
    /// PostgreSQL, prompts that are built, passwords that are hashed.
    /// - Parameter count: how many processors the process may use.
    /// - Returns: a number within `threadsRange`.
    public static func threads(onProcessors count: Int) -> Int {
        min(count <= 2 ? max(1, count) : count - 1, threadsRange.upperBound)
    }

    /// A quarter of the machine's memory.
    public static let keyValueMebibytesDefault = max(
        64,
        (sysconf(Int32(_SC_PHYS_PAGES)) / 4 * sysconf(Int32(_SC_PAGESIZE))) >> 20
    )

    /// All settings at their defaults.
    public static let standard = EngineConfiguration(
        checkedSlots: 4,
        threads: threadsDefault,
        queueLimit: 256,
        prefillChunk: 64,
        contextLimit: 8192,
        keyValueMebibytes: keyValueMebibytesDefault,
        speculates: true,
        ropeRule: .perRun
    )

    /// Settings; what is not given has its default.
    /// - Throws: `EngineError.invalidConfiguration` for the first value outside its range.
    public init(
        slots: Int = standard.slots,
        threads: Int = standard.threads,
        queueLimit: Int = standard.queueLimit,
        prefillChunk: Int = standard.prefillChunk,
        contextLimit: Int = standard.contextLimit,
        keyValueMebibytes: Int = standard.keyValueMebibytes,
        speculates: Bool = standard.speculates,
        ropeRule: RopeRule = standard.ropeRule
    ) throws(EngineError) {
        try Self.check("slots", slots, Self.slotsRange)
        try Self.check("threads", threads, Self.threadsRange)
        try Self.check("queue limit", queueLimit, Self.queueLimitRange)
        try Self.check("prefill chunk", prefillChunk, Self.prefillChunkRange)
        try Self.check("context limit", contextLimit, Self.contextLimitRange)
        try Self.check("key-value memory", keyValueMebibytes, Self.keyValueMebibytesRange)
        self.init(
            checkedSlots: slots,
            threads: threads,
            queueLimit: queueLimit,
            prefillChunk: prefillChunk,
            contextLimit: contextLimit,
            keyValueMebibytes: keyValueMebibytes,
            speculates: speculates,
            ropeRule: ropeRule
        )
    }

    private init(
        checkedSlots: Int,
        threads: Int,
        queueLimit: Int,
        prefillChunk: Int,
        contextLimit: Int,
        keyValueMebibytes: Int,
        speculates: Bool,
        ropeRule: RopeRule
    ) {
        self.slots = checkedSlots
        self.threads = threads
        self.queueLimit = queueLimit
        self.prefillChunk = prefillChunk
        self.contextLimit = contextLimit
        self.keyValueMebibytes = keyValueMebibytes
        self.speculates = speculates
        self.ropeRule = ropeRule
    }

    private static func check(
        _ setting: String,
        _ value: Int,
        _ allowed: ClosedRange<Int>
    ) throws(EngineError) {
        guard allowed.contains(value) else {
            throw .invalidConfiguration(setting: setting, value: value, allowed: allowed)
        }
    }
}
