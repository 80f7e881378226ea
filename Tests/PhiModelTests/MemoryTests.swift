import PhiModel
import TestSupport
import Testing

@Suite("a model's memory")
struct MemoryTests {
    @Test("weights are used in place: neither loading nor answering copies them")
    func noCopies() async {
        // In a separate process, where no other test allocates memory.
        await #expect(processExitsWith: .success) {
            let sparse = try SparseModel()
            #expect(sparse.byteCount > 70 << 20)
            let before = try anonymousByteCount()

            let model = try PhiModel(folder: sparse.folder.path)
            let loaded = try anonymousByteCount()
            #expect(loaded - before < 2 << 20, "loading took \(loaded - before) bytes")

            let session = model.makeSession(threadCount: 2, tokenCountMax: 16)
            let cache = try model.makeCache(capacity: 16)
            let step = SequenceStep(tokens: [1, 2, 3], cache: cache, wantsLogits: true)
            #expect(try session.forward([step])[0]?.count == SparseModel.vocabulary)
            let answered = try anonymousByteCount()
            #expect(answered - loaded < 8 << 20, "answering took \(answered - loaded) bytes")
        }
    }
}
