// `stoa model logits`.

import ArgumentParser
import Checkpoints
import Inference
import PhiModel

/// Token ids to the logits after the last of them.
struct LogitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logits",
        abstract: "Compute the logits after a sequence of token ids, line by line.",
        discussion: """
            A line is an array of ids, its answer {"last": […]}, a number for each row of the \
            model's embedding. Each line is a sequence of its own. \(JSONLines.help)
            """
    )

    /// Which of LongRoPE's factor sets.
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

    @Argument(help: "The model's folder; no tokenizer is needed.")
    var folder: String

    @Option(
        help: """
            LongRoPE's factors: auto takes the short ones for a sequence within the original \
            context, else the long ones. Models without LongRoPE have only one set.
            """
    )
    var rope = Rope.auto

    // All kernels of today do; the name is there for those that will not.
    @Flag(help: "Compute in float32 throughout, with no activation quantized.")
    var exact = false

    func run() throws {
        let model = try ModelFolder(folder).model()
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
    /// The logits after the last of `tokens`, a sequence of its own.
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
