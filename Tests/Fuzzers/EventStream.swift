// Answers and metrics of remote engines: the result does not depend on how the bytes are split, and
// no bytes bring the decoders down.

import EngineProtocol

/// Decodes the bytes as an answer in each form, and as metrics. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    for dialect in EngineDialect.allCases {
        let whole = Outcome(bytes, dialect, inPiecesOf: max(1, count))
        let split = Outcome(bytes, dialect, inPiecesOf: 1 + count % 5)
        precondition(split == whole, "an answer depends on the split")
    }
    for kind in EngineKind.allCases {
        guard let load = EngineLoad(metrics: bytes, of: kind) else { continue }
        precondition((0...2_000_000).contains(load.total), "a load that cannot be true")
    }
    return 0
}

/// What an answer's bytes give. The text before a fault depends on the split, so it does not count.
private struct Outcome: Equatable {
    var text = ""
    var result: AnswerDecoder.Result?
    var fault: EngineFault?

    init(_ bytes: [UInt8], _ dialect: EngineDialect, inPiecesOf count: Int) {
        var decoder = AnswerDecoder(dialect, promptTokens: 3, tokensMax: 8)
        do throws(EngineFault) {
            for piece in pieces(bytes, of: count) { text += try decoder.receive(piece) }
            result = try decoder.finish()
        } catch {
            text = ""
            fault = error
        }
    }
}
