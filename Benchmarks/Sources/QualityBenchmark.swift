// `stoa bench quality`: what a model's arithmetic costs in quality, on a text.

import ArgumentParser
import Checkpoints
import FoundationEssentials
import Inference
import JSONText
import ModelQuality
import Tokenizers

struct QualityBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quality",
        abstract: "Compare a model's arithmetic with float32, on a text.",
        discussion: """
            Perplexity; how often the likeliest next token is float32's; and the Kullback-Leibler \
            divergence of the next token's probabilities, in nats: of activations of 8 bits, and of \
            keys and values of 8 bits as well. The text is read in windows, each from its own \
            beginning.
            """
    )

    @Argument(help: "The model: \(BenchmarkModel.help).", transform: BenchmarkModel.path)
    var model: String
    @Option(help: "A file with the text.") var text: String?
    @Option(help: "A file with token IDs instead: an array in JSON. No tokenizer is needed.")
    var ids: String?
    @Option(help: "Tokens of a window.") var window = 512
    @Option(help: "Maximum number of tokens.") var limit = 4096
    @Option(help: "Threads that share a pass.") var threads = EngineConfiguration.threadsDefault
    @Flag(help: "Print JSON instead of a table.") var json = false

    func validate() throws {
        guard (text == nil) != (ids == nil) else {
            throw ValidationError("give either --text or --ids")
        }
        guard window > 1, limit > 1, threads > 0 else {
            throw ValidationError("--window and --limit are 2 or more, --threads 1 or more")
        }
    }

    func run() throws {
        let tokens = Array(try tokens().prefix(limit))
        guard tokens.count > 1 else { throw ValidationError("the text has less than two tokens") }
        let measurement = try QualityMeasurement(folder: model, threads: threads, window: window)
        let report = QualityReport(
            model: LoadedModel.name(of: model),
            tokens: tokens.count,
            window: window,
            figures: try measurement.run(tokens)
        )
        guard json else { return print(report.table.joined(separator: "\n")) }
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private func tokens() throws -> [TokenID] {
        if let ids {
            let array = try MappedFile(path: ids).parseJSON().array
            let tokens = array?.compactMap { $0.integer.flatMap(TokenID.init(exactly:)) }
            guard let tokens, tokens.count == array?.count else {
                throw ValidationError("\(ids) is not an array of token IDs")
            }
            return tokens
        }
        let bytes = try Data(contentsOf: URL(filePath: text ?? ""))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("the text is not UTF-8")
        }
        return try Tokenizer.load(folder: model).encode(text, specialTokens: .asText)
    }
}
