import Checkpoints
import Foundation
import PhiEngine
import PhiModel
import Testing

@Suite("The model's interface")
struct ModelTests {
    @Test("numParameters counts the weights of the checkpoint, before quantization")
    func parameters() async throws {
        let tensors = try Checkpoint.open(DemoHub.demoFolder).tensors
        let expected = tensors.reduce(0) { sum, entry in
            let (name, tensor) = entry
            let count = tensor.shape.reduce(1, *)
            if name.hasSuffix(".biases") { return sum }
            // A quantized matrix has one scale per group.
            if name.hasSuffix(".scales") { return sum + count * 64 }
            return tensor.elementType == .uint32 ? sum : sum + count
        }
        let counted = try await Demo.container().perform { $0.model.numParameters() }
        #expect(counted == expected)
    }

    @Test("working memory is kept up to the limit, and freed with its model")
    func sessions() throws {
        let pool = SessionPool()
        let model = try PhiModel(folder: DemoHub.demoFolder)
        let first = pool.take(model, tokenCountMax: 8)
        let size = first.byteCount
        #expect(size > 0)
        pool.give(back: first)
        #expect(pool.byteCount == size)
        #expect(pool.take(model, tokenCountMax: 8) === first)
        #expect(pool.byteCount == 0)

        let other = pool.take(model, tokenCountMax: 16)
        pool.give(back: first)
        pool.give(back: other)
        #expect(pool.byteCount == size + other.byteCount)
        pool.limit = other.byteCount
        #expect(pool.byteCount == other.byteCount)
        #expect(pool.take(model, tokenCountMax: 8) !== first)
        pool.limit = 0
        pool.give(back: first)
        #expect(pool.byteCount == 0)

        pool.limit = 1 << 30
        pool.give(back: first)
        pool.removeAll(of: try PhiModel(folder: DemoHub.demoFolder))
        #expect(pool.byteCount == first.byteCount)
        pool.removeAll(of: model)
        #expect(pool.byteCount == 0)
    }
}
