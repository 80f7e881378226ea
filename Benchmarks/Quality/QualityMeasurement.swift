// Reads a text with one model in several arithmetics side by side: float32, activations of 8 bits, and
// keys and values of 8 bits as well. They go through the text together, so that only the logits of a few
// positions are in memory.

package import Checkpoints
package import PhiModel

/// Measures what a model's arithmetic costs in quality.
package struct QualityMeasurement {
    /// Positions whose logits are computed together: 26 MB for a vocabulary of 200,064 tokens.
    private static let chunk = 32

    private let exact: PhiModel
    private let others: [PhiModel]
    private let threads: Int
    private let window: Int

    /// - Parameters:
    ///   - exact: the model in float32.
    ///   - others: the same model in other arithmetics.
    ///   - threads: the threads of each pass.
    ///   - window: the text is read in pieces of this many tokens, each from its own beginning; at
    ///     most the model's context.
    package init(_ exact: PhiModel, against others: [PhiModel], threads: Int, window: Int) {
        self.exact = exact
        self.others = others
        self.threads = threads
        self.window = min(window, exact.contextLength)
    }

    /// A measurement of a model's folder in all arithmetics of this processor's fastest kernels.
    /// - Throws: `CheckpointError`.
    package init(folder: String, threads: Int, window: Int) throws(CheckpointError) {
        let rounded = try PhiModel(folder: folder, kernels: .fastest)
        self.init(
            try PhiModel(folder: folder, kernels: .exact),
            against: [rounded, rounded.keeping(.eight)],
            threads: threads,
            window: window
        )
    }

    /// Measures a text.
    /// - Parameters:
    ///   - tokens: the text. The last token of a window only has a probability.
    ///   - progress: called with the number of tokens read.
    /// - Returns: the figures of float32, then those of the others.
    /// - Throws: `ForwardError`.
    package func run(
        _ tokens: [TokenID],
        progress: (Int) -> Void = { _ in }
    ) throws(ForwardError) -> [QualityFigures] {
        let models = [exact] + others
        let sessions = models.map {
            $0.makeSession(threadCount: threads, tokenCountMax: Self.chunk)
        }
        var sums = [QualitySum](repeating: QualitySum(), count: models.count)
        for start in stride(from: 0, to: tokens.count - 1, by: window) {
            let text = Array(tokens[start..<min(start + window, tokens.count)])
            try read(text, sessions, &sums)
            progress(start + text.count)
        }
        return zip(models, sums).map { model, sum in
            sum.figures(model === exact ? "float32" : model.kernelName)
        }
    }

    private func read(
        _ text: [TokenID],
        _ sessions: [PhiSession],
        _ sums: inout [QualitySum]
    ) throws(ForwardError) {
        var caches: [KeyValueCache] = []
        for session in sessions { caches.append(try session.model.makeCache(capacity: text.count)) }
        for start in stride(from: 0, to: text.count - 1, by: Self.chunk) {
            let part = Array(text[start..<min(start + Self.chunk, text.count - 1)])
            var passes: [PassLogits] = []
            for (session, cache) in zip(sessions, caches) {
                let step = SequenceStep(tokens: part, cache: cache, logitsCount: part.count)
                passes.append(try session.compute([step]))
            }
            for index in part.indices {
                let next = text[start + index + 1]
                let rows = passes.map { LogitRow($0.row(index, of: 0)) }
                for (place, row) in rows.enumerated() {
                    sums[place].add(row.logProbability(of: next))
                    guard place > 0 else { continue }
                    sums[place].add(
                        divergence: rows[0].divergence(of: row),
                        agrees: rows[0].best == row.best
                    )
                }
            }
        }
    }
}
