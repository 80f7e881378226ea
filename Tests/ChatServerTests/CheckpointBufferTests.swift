import ChatServer
import Testing

@Suite("Text without a checkpoint")
struct CheckpointBufferTests {
    @Test("is returned in contiguous parts, each until it is stored")
    func parts() {
        var unkept = CheckpointBuffer(from: 4)
        #expect(unkept.isEmpty)
        #expect(unkept.take() == [])
        unkept.append("Grün", [1, 2])
        unkept.append(" ", [3])
        let first = CheckpointBuffer.Part(at: 4, text: "Grün ", tokens: [1, 2, 3])
        #expect(unkept.take() == [first])
        unkept.append("tea", [4])
        // Whether the first part was stored is unknown: it is returned again unchanged.
        let second = CheckpointBuffer.Part(at: 10, text: "tea", tokens: [4])
        #expect(unkept.take() == [first, second])
        unkept.append("!", [5])
        unkept.confirm(2)
        #expect(!unkept.isEmpty)
        #expect(unkept.take() == [CheckpointBuffer.Part(at: 13, text: "!", tokens: [5])])
        unkept.confirm(1)
        #expect(unkept.isEmpty)
    }

    @Test("is in few parts, however long the database is unavailable")
    func bounded() {
        var unkept = CheckpointBuffer(from: 0)
        for _ in 0..<50 {
            unkept.append("a", [7])
            #expect(unkept.take().count <= CheckpointBuffer.partsMax)
        }
        unkept.confirm(CheckpointBuffer.partsMax)
        let rest = unkept.take()
        #expect(rest.map(\.at) == [CheckpointBuffer.partsMax])
        #expect(rest.map(\.text.utf8.count) == [50 - CheckpointBuffer.partsMax])
    }
}
