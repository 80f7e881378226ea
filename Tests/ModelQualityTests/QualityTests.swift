// Figures of a model's arithmetic, on the tiny models with reference values of mlx-lm.

import Checkpoints
import Glibc
import JSONText
import ModelQuality
import PhiModel
import TestSupport
import Testing

@Suite("The quality of a model's arithmetic")
struct QualityTests {
    private static let golden = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden"
    private static let quantized = [
        "affine-4bit", "affine-8bit", "tiny-phi3-4bit", "mxfp4", "nvfp4",
    ]

    private func model(_ name: String, _ kernels: Kernels) throws -> PhiModel {
        try PhiModel(folder: "\(Self.golden)/\(name)", kernels: kernels)
    }

    /// Tokens of the vocabulary in no order.
    private func tokens(_ count: Int, of model: PhiModel) -> [TokenID] {
        var random = SeededGenerator(seed: 7)
        return (0..<count).map { _ in
            TokenID.random(in: 0..<TokenID(model.vocabularyCount), using: &random)
        }
    }

    private func row<Result>(_ logits: [Float], _ body: (LogitRow) throws -> Result) rethrows
        -> Result
    {
        var logits = logits
        return try logits.withUnsafeMutableBufferPointer { try body(LogitRow($0)) }
    }

    @Test("probabilities and divergence are those of the softmax")
    func rows() {
        // Probabilities 1/2, 1/4, 1/4 and 1/4, 1/2, 1/4.
        row([Float(log(2.0)) + 5, 5, 5]) { one in
            row([-3, Float(log(2.0)) - 3, -3]) { other in
                #expect(one.best == 0 && other.best == 1)
                #expect(abs(one.logProbability(of: 0) - log(0.5)) < 1e-6)
                #expect(abs(other.logProbability(of: 2) - log(0.25)) < 1e-6)
                // 1/2 log 2 - 1/4 log 2.
                #expect(abs(one.divergence(of: other) - 0.25 * log(2.0)) < 1e-6)
                #expect(one.divergence(of: one) == 0)
            }
        }
    }

    @Test("float32 against itself differs nowhere, whatever the window", arguments: quantized)
    func itself(name: String) throws {
        let exact = try model(name, .exact)
        let same = try model(name, .exact)
        let tokens = tokens(40, of: exact)
        for window in [2, 7, 40] {
            let measurement = QualityMeasurement(
                exact,
                against: [same],
                threads: 1,
                window: window
            )
            let figures = try measurement.run(tokens)
            #expect(figures.count == 2)
            #expect(figures[0].difference == nil && figures[0].nats == figures[1].nats)
            let difference = try #require(figures[1].difference)
            #expect(difference.agreement == 1 && difference.largest == 0)
            #expect(abs(figures[0].perplexity - exp(figures[0].nats)) < 1e-9)
        }
    }

    @Test("the perplexity is that of the logits of all positions", arguments: quantized)
    func perplexity(name: String) throws {
        let exact = try model(name, .exact)
        let tokens = tokens(12, of: exact)
        let session = exact.makeSession(threadCount: 1)
        let cache = try exact.makeCache(capacity: tokens.count)
        let logits = try session.logitsOfAllPositions(tokens, cache: cache)
        var nats = 0.0
        for (logits, next) in zip(logits, tokens.dropFirst()) {
            row(logits) { nats -= $0.logProbability(of: next) }
        }
        let measurement = QualityMeasurement(exact, against: [], threads: 1, window: 12)
        let figures = try measurement.run(tokens)
        #expect(abs(figures[0].nats - nats / 11) < 1e-9)
    }

    @Test("the reference text of mlx-lm has its likeliest tokens", arguments: quantized)
    func reference(name: String) throws {
        let exact = try model(name, .exact)
        let file = try MappedFile(path: "\(Self.golden)/\(name)/golden_logits.json").parseJSON()
        for entry in file.array ?? [] where entry["rope"]?.string?.hasPrefix("long") != true {
            let ids = (entry["input_ids"]?.array ?? []).compactMap { $0.integer.map(TokenID.init) }
            let best = (entry["logits_argmax"]?.array ?? []).compactMap { $0.integer }
            let cache = try exact.makeCache(capacity: ids.count)
            let session = exact.makeSession(threadCount: 1)
            let logits = try session.logitsOfAllPositions(ids, cache: cache)
            #expect(logits.map { row($0) { Int($0.best) } } == best)
        }
    }

    @Test("rounding costs something, and little", arguments: quantized)
    func rounding(name: String) throws {
        let exact = try model(name, .exact)
        let rounded = try model(name, .fastest)
        let measurement = QualityMeasurement(
            exact,
            against: [rounded, rounded.keeping(.eight)],
            threads: 1,
            window: 64
        )
        let figures = try measurement.run(tokens(64, of: exact))
        #expect(
            figures.map(\.kernels) == ["float32", rounded.kernelName, rounded.kernelName + "-kv8"]
        )
        for other in figures.dropFirst() {
            let difference = try #require(other.difference)
            // Random weights amplify each difference: decision 26.
            #expect(difference.mean > 0 && difference.mean < 0.05, "\(difference)")
            #expect(difference.agreement > 0.8, "\(difference)")
            #expect(abs(other.nats - figures[0].nats) < 0.1)
        }
    }

    @Test("a report is a table with a row for each arithmetic")
    func table() throws {
        let exact = try model("affine-4bit", .exact)
        let measurement = QualityMeasurement(exact, against: [exact], threads: 1, window: 4)
        let report = QualityReport(
            model: "tiny",
            tokens: 8,
            window: 4,
            figures: try measurement.run(tokens(8, of: exact))
        )
        #expect(report.table.count == 6)
        #expect(report.table[4].hasPrefix("| float32 | "))
        #expect(report.table.dropFirst(2).allSatisfy { $0.count { $0 == "|" } == 8 })
    }
}
