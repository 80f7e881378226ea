// How a conversation's answers are generated, and the bounds of each setting.

/// A conversation's generation settings; the server's default applies to each that is nil.
public struct GenerationSettings: Hashable, Sendable {
    /// Sampling temperature, 0 (greedy) to 2.
    public var temperature: Double?
    /// Nucleus sampling's probability mass, above 0 and at most 1.
    public var topP: Double?
    /// Maximum length of an answer, in tokens.
    public var maxTokens: Int?
    /// Sampling seed, 0 to 2^53 - 1: the same prompt and settings give the same answer.
    public var seed: Int64?
    /// Texts that end an answer, at most 16 of 1 to 256 bytes; the answer ends before the first
    /// occurrence.
    public var stop: [String]?
    /// Maximum length of an answer's thinking part, in tokens; 0 for none.
    public var maxThinkingTokens: Int?

    /// Creates settings.
    public init(
        temperature: Double? = nil,
        topP: Double? = nil,
        maxTokens: Int? = nil,
        seed: Int64? = nil,
        stop: [String]? = nil,
        maxThinkingTokens: Int? = nil
    ) {
        self.temperature = temperature
        self.topP = topP
        self.maxTokens = maxTokens
        self.seed = seed
        self.stop = stop
        self.maxThinkingTokens = maxThinkingTokens
    }
}

extension GenerationSettings: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case temperature
        case topP = "top_p"
        case maxTokens = "max_tokens"
        case seed, stop
        case maxThinkingTokens = "max_thinking_tokens"
    }

    /// Reads the wire form; in a request, an unknown field is an error.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownFields(besides: CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            temperature: try container.decodeIfPresent(Double.self, forKey: .temperature),
            topP: try container.decodeIfPresent(Double.self, forKey: .topP),
            maxTokens: try container.decodeIfPresent(Int.self, forKey: .maxTokens),
            seed: try container.decodeIfPresent(Int64.self, forKey: .seed),
            stop: try container.decodeIfPresent([String].self, forKey: .stop),
            maxThinkingTokens: try container.decodeIfPresent(Int.self, forKey: .maxThinkingTokens)
        )
    }
}

// MARK: Bounds

extension GenerationSettings {
    /// Maximum number of stop strings.
    public static let stopCountMax = 16
    /// Maximum length of a stop string, in UTF-8 bytes.
    public static let stopBytesMax = 256
    /// The range of seeds, which every JSON parser represents exactly.
    public static let seedRange: ClosedRange<Int64> = 0...(1 << 53) - 1

    /// What is wrong with the first setting that is out of bounds; nil if all are within.
    public var violation: String? {
        if let temperature, !Self.isTemperature(temperature) { return "temperature must be 0 to 2" }
        if let topP, !Self.isTopP(topP) { return "top_p must be above 0 and at most 1" }
        if let maxTokens, !Self.isMaxTokens(maxTokens) { return "max_tokens must be 1 to 1000000" }
        if let seed, !Self.seedRange.contains(seed) {
            return "seed must be 0 to \(Self.seedRange.upperBound)"
        }
        if let stop, stop.count > Self.stopCountMax {
            return "stop has more than \(Self.stopCountMax) texts"
        }
        if let stop, !stop.allSatisfy(Self.isStop) {
            return "a text of stop must have 1 to \(Self.stopBytesMax) bytes and no NUL character"
        }
        if let maxThinkingTokens, !Self.isMaxThinkingTokens(maxThinkingTokens) {
            return "max_thinking_tokens must be 0 to 1000000"
        }
        return nil
    }

    /// The settings that are within the bounds; the others are nil.
    public var withinBounds: GenerationSettings {
        GenerationSettings(
            temperature: temperature.flatMap { Self.isTemperature($0) ? $0 : nil },
            topP: topP.flatMap { Self.isTopP($0) ? $0 : nil },
            maxTokens: maxTokens.flatMap { Self.isMaxTokens($0) ? $0 : nil },
            seed: seed.flatMap { Self.seedRange.contains($0) ? $0 : nil },
            stop: stop.map { Array($0.filter(Self.isStop).prefix(Self.stopCountMax)) },
            maxThinkingTokens: maxThinkingTokens.flatMap {
                Self.isMaxThinkingTokens($0) ? $0 : nil
            }
        )
    }

    private static func isTemperature(_ value: Double) -> Bool { (0...2).contains(value) }

    private static func isTopP(_ value: Double) -> Bool { value > 0 && value <= 1 }

    private static func isMaxTokens(_ value: Int) -> Bool { (1...1_000_000).contains(value) }

    private static func isMaxThinkingTokens(_ value: Int) -> Bool {
        (0...1_000_000).contains(value)
    }

    private static func isStop(_ text: String) -> Bool {
        (1...stopBytesMax).contains(text.utf8.count) && !text.utf8.contains(0)
    }
}
