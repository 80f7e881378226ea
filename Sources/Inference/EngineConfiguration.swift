// The engine's settings and their ranges, defined only here.

import Glibc
public import PhiModel

/// The settings of an engine, validated on creation.
public struct EngineConfiguration: Sendable, Hashable {
    /// Number of slots: answers that run concurrently.
    public let slots: Int
    /// Number of threads for one step.
    public let threads: Int
    /// Maximum number of waiting requests; one more is refused with `.busy`.
    public let queueLimit: Int
    /// Maximum prompt tokens in one step, over all sequences; fewer while answers run.
    public let prefillChunk: Int
    /// Maximum tokens of prompt and answer together; the model's context length if that is smaller.
    public let contextLimit: Int
    /// Memory of the KV cache in MiB, for running answers and for reuse of earlier prompts. There
    /// is always enough for one answer of full length.
    public let keyValueMebibytes: Int
    /// Whether to use speculative decoding when it is faster. The result is the same.
    public let speculates: Bool
    /// The rule for LongRoPE's factor set, if the model has LongRoPE and the request has no rule.
    public let ropeRule: RopeRule

    /// The allowed ranges of the settings.
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

    /// `threads(onProcessors:)` of the processors available to this process.
    public static let threadsDefault = threads(onProcessors: ProcessorCount.available)

    /// The default number of threads: all of one or two processors, otherwise all but one. The
    /// event loop shares a processor with one of the threads, which it preempts at once; with two
    /// processors, reserving one for it would halve the speed of prompts. From three on that costs
    /// less, and PostgreSQL, building prompts and hashing passwords need processor time too.
    /// - Parameter count: the number of available processors.
    /// - Returns: a number in `threadsRange`.
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

    /// Creates settings; omitted ones have their defaults.
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

    /// The same settings with another memory of the KV cache.
    /// - Throws: `EngineError.invalidConfiguration` if it is outside its range.
    public func with(keyValueMebibytes: Int) throws(EngineError) -> EngineConfiguration {
        try EngineConfiguration(
            slots: slots,
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
