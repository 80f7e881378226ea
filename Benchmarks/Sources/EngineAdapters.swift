// What an adapter costs: passes with it and without it, in rounds that alternate.

import Checkpoints
import PhiModel

extension EnginePasses {
    /// Rounds of each comparison; in every other one the passes without the adapter come first.
    private static let roundCount = 6

    /// Compares decoding of 1 and 8 sequences and reading a prompt of 512 tokens, all with the adapter in
    /// `folder`, with the same without it.
    func adapters(_ folder: String) throws {
        printMachine()
        let adapter = try Adapter(AdapterCheckpoint.open(folder), for: model)
        report("engine_adapter_mebibytes", Double(adapter.byteCount) / Double(1 << 20))
        try compare("decode_1", adapter) { try decodeSeconds(sequences: 1, adapter: $0) }
        try compare("decode_8", adapter) { try decodeSeconds(sequences: 8, adapter: $0) }
        try compare("prompt_512", adapter) { try promptSeconds(tokens: 512, adapter: $0) }
    }

    /// Reports the time with the adapter as a multiple of the time without it: of the fastest rounds, and
    /// the least and the most of a pair of rounds.
    private func compare(
        _ name: String,
        _ adapter: Adapter,
        _ seconds: (Adapter?) throws -> Double
    ) throws {
        var times: [(with: Double, without: Double)] = []
        for round in 0..<Self.roundCount {
            if round.isMultiple(of: 2) {
                let without = try seconds(nil)
                times.append((try seconds(adapter), without))
            } else {
                let with = try seconds(adapter)
                times.append((with, try seconds(nil)))
            }
        }
        let fastest = (times.map(\.with).min() ?? 0) / (times.map(\.without).min() ?? 1)
        let pairs = times.map { $0.with / $0.without }
        report("engine_adapter_\(name)_ratio", fastest)
        report("engine_adapter_\(name)_ratio_min", pairs.min() ?? 0)
        report("engine_adapter_\(name)_ratio_max", pairs.max() ?? 0)
    }
}
