// How much an engine has to do, as its metrics tell (Prometheus text exposition format 0.0.4). Only
// it knows the requests of other clients.

/// The load of an engine.
public struct EngineLoad: Sendable, Hashable {
    /// Requests that it generates answers for.
    public var running: Int
    /// Requests that wait there.
    public var waiting: Int

    /// Creates a load.
    public init(running: Int, waiting: Int) {
        self.running = running
        self.waiting = waiting
    }

    /// All requests.
    public var total: Int { running + waiting }

    /// Reads the metrics of an engine; nil if they do not tell its load.
    /// - Parameters:
    ///   - text: the document; lines that make no sense are skipped.
    ///   - kind: whose metrics they are.
    public init?(metrics text: [UInt8], of kind: EngineKind) {
        guard let names = kind.loadMetrics else { return nil }
        var sums: [Int?] = [nil, nil]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            for (index, name) in [names.running, names.waiting].enumerated() {
                guard let value = Self.value(of: line, name) else { continue }
                // One sample for each engine core or model.
                sums[index] = min((sums[index] ?? 0) + value, Self.countMax)
            }
        }
        guard let running = sums[0], let waiting = sums[1] else { return nil }
        self.init(running: running, waiting: waiting)
    }

    /// No engine has more requests than this.
    private static let countMax = 1_000_000

    /// The value of a sample of the metric `name`; nil if the line is none.
    private static func value(of line: ArraySlice<UInt8>, _ name: String) -> Int? {
        guard line.starts(with: name.utf8) else { return nil }
        var rest = line.dropFirst(name.utf8.count)
        if rest.first == UInt8(ascii: "{") {
            // Label values may contain braces; the last one ends the labels.
            guard let end = rest.lastIndex(of: UInt8(ascii: "}")) else { return nil }
            rest = rest[(end + 1)...]
        }
        guard rest.first == UInt8(ascii: " ") else { return nil }
        let word = rest.split(separator: UInt8(ascii: " ")).first ?? []
        guard word.count <= 32, let value = Double(String(decoding: word, as: UTF8.self)),
            (0...Double(countMax)).contains(value)
        else { return nil }
        return Int(value)
    }
}

extension EngineKind {
    /// The names of the metrics that tell its load; nil if it has none.
    public var loadMetrics: (running: String, waiting: String)? {
        switch self {
        case .vllm: ("vllm:num_requests_running", "vllm:num_requests_waiting")
        // Only with --enable-metrics.
        case .sglang: ("sglang:num_running_reqs", "sglang:num_queue_reqs")
        // Only with --metrics.
        case .llamaServer: ("llamacpp:requests_processing", "llamacpp:requests_deferred")
        case .llamaPython, .mlx, .ollama, .stoa, .other: nil
        }
    }
}
