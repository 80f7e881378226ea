import Checkpoints
import PhiModel
import TestSupport
import Testing

/// The demo model; no tokenizer is needed here, since any tokens will do.
@Suite("the demo model")
struct DemoModelTests {
    private let session: PhiSession

    init() throws {
        let folder = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
        session = try PhiModel(folder: folder).makeSession(threadCount: 2)
    }

    @Test("it has the sizes of its model card")
    func sizes() {
        #expect(session.model.contextLength == 2048)
        #expect(session.model.vocabularyCount == 4096)
        #expect(session.model.configuration.stopTokens == [4091, 4095])
    }

    @Test("its greedy answer does not depend on how the prompt is split")
    func chunks() throws {
        // <|user|> words <|end|> <|assistant|>
        let words = (0..<60).map { TokenID(($0 * 211 + 17) % 4000) }
        let prompt = [4093] + words + [4095, 4094]
        let answer = try session.greedy(prompt, count: 40)
        #expect(Set(answer).count > 3)
        for chunk in [1, 7, 64] {
            #expect(try session.greedy(prompt, count: 40, chunk: chunk) == answer)
        }
    }
}
