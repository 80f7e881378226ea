// A receipt of the server in words.

import ChatProtocol
import FoundationEssentials
import Inference

/// Says how an answer was made.
package enum ReceiptText {
    /// What this reads of a receipt (docs/use/receipts.md).
    private struct Stored: Decodable {
        let run: RunReceipt?
        let remote: Remote?

        struct Remote: Decodable {
            let engine: String
            let model: String
            let template: String
        }
    }

    /// The lines.
    /// - Parameter receipt: the server's JSON.
    /// - Returns: at least one line.
    package static func lines(_ receipt: [UInt8]) -> [String] {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(receipt)) else {
            return ["This version of stoa cannot read the receipt."]
        }
        if let run = stored.run { return lines(run) }
        if let remote = stored.remote {
            return [
                "Answered by \(remote.model) on \(remote.engine); chat template: \(remote.template).",
                "It cannot be repeated.",
            ]
        }
        return ["No engine has answered."]
    }

    private static func lines(_ run: RunReceipt) -> [String] {
        let times = run.times
        var parts = ["\(whole(times.waiting)) ms in the queue"]
        if let prompt = times.prompt { parts.append("\(whole(prompt)) ms to the first token") }
        if let generation = times.generation {
            parts.append("\(whole(generation)) ms to the last")
        }
        return [
            "Model: \(run.model.name), kernels \(run.engine.kernels), stoa \(run.engine.stoa)",
            "Prompt: \(run.prompt.tokens) tokens, \(run.prompt.cached) of them from the cache",
            "Answer: \(run.answer.ids.count) tokens, ended by \(run.answer.finish.rawValue)",
            "Times: \(parts.joined(separator: ", "))",
            "/receipt FILE writes all of it, with the seed: stoa generate --replay FILE repeats it.",
        ]
    }

    private static func whole(_ milliseconds: Double) -> Int { Int(milliseconds.rounded()) }
}
