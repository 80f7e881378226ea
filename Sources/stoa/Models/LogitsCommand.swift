// `stoa model logits`.

import ArgumentParser
import Checkpoints
import Inference
import PhiModel

/// Computes the logits after the last of the given tokens.
struct LogitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logits",
        abstract: "Compute the logits after a sequence of token IDs, line by line.",
        discussion: """
            Input: an array of token IDs; output: {"last": […]}, the logits after the last of them, \
            one for each row of the embedding. Each line is a sequence of its own. \(JSONLines.help)
            """
    )

    /// A factor set of LongRoPE.
    enum Rope: String, CaseIterable, ExpressibleByArgument {
        case short, long, auto

        var rule: RopeRule {
            switch self {
            case .short: .alwaysShort
            case .long: .alwaysLong
            case .auto: .perRun
            }
        }
    }

    @Argument(help: "\(ModelArgument.help) No tokenizer is needed.")
    var folder: String

    @Option(
        help: """
            LongRoPE factors; auto uses the short ones for sequences within the original context, the \
            long ones for longer sequences.
            """
    )
    var rope = Rope.auto

    @Flag(
        help: """
            Compute in float32, whatever STOA_KERNELS says: no activation, key or value is rounded.
            """
    )
    var exact = false

    func run() throws {
        let model = try ModelFolder(folder).model(exact ? .exact : nil)
        let session = model.makeSession(threadCount: EngineConfiguration.threadsDefault)
        try JSONLines.answer { line throws(LineError) in
            Logits(last: try session.lastLogits(of: try line.tokens(), rope.rule))
        }
    }

    private struct Logits: Encodable {
        let last: [Float]
    }
}

extension PhiSession {
    /// The logits after the last of `tokens`, as a separate sequence.
    fileprivate func lastLogits(
        of tokens: [TokenID],
        _ rule: RopeRule
    ) throws(LineError) -> [Float] {
        guard !tokens.isEmpty else { throw LineError("an empty sequence has no last position") }
        let factors = model.ropeFactors(forLength: tokens.count, rule: rule)
        do throws(ForwardError) {
            let cache = try model.makeCache(capacity: tokens.count, ropeFactors: factors)
            var logits: [Float] = []
            for start in stride(from: 0, to: tokens.count, by: tokenCountMax) {
                let end = min(start + tokenCountMax, tokens.count)
                let step = SequenceStep(
                    tokens: Array(tokens[start..<end]),
                    cache: cache,
                    wantsLogits: end == tokens.count
                )
                logits = try forward([step]).first.flatMap(\.self) ?? []
            }
            return logits
        } catch {
            throw LineError("\(error)")
        }
    }
}
