// A node's copy of the queue: outdated rows, and reads that overlap with changes.

import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import FoundationEssentials
import Testing

@Suite("The queue in memory")
struct QueueMirrorTests {
    private let other = UUID()

    private func row(
        _ message: MessageID,
        _ position: Int64,
        leased: Bool = false,
        model: String = "demo"
    ) -> QueueRow {
        QueueRow(
            answer: QueuedAnswer(
                message: message,
                conversation: .make(),
                user: .make(),
                position: position,
                promptTokens: 10,
                answerTokens: 10,
                model: model
            ),
            owner: leased ? other : nil,
            isLeased: leased
        )
    }

    private func read(
        _ mirror: inout QueueMirror,
        _ rows: [QueueRow],
        isWhole: Bool = true,
        own: Set<MessageID> = []
    ) {
        mirror.beginReading()
        mirror.endReading(rows, isWhole: isWhole, own: own)
    }

    @Test("follows the rows: new ones are queued, leased ones running, deleted ones removed")
    func following() {
        var mirror = QueueMirror()
        let ids = (0..<3).map { _ in MessageID.make() }
        read(&mirror, [row(ids[0], 0), row(ids[1], 1), row(ids[2], 2, leased: true)])
        #expect(Set(mirror.queue.waiting.keys) == [ids[0], ids[1]])
        #expect(Set(mirror.queue.running.keys) == [ids[2]])
        read(&mirror, [row(ids[1], 1, leased: true), row(ids[2], 2)])
        #expect(Set(mirror.queue.waiting.keys) == [ids[2]])
        #expect(Set(mirror.queue.running.keys) == [ids[1]])
    }

    @Test("changes made here while the rows are read are newer than the rows")
    func overlap() {
        var mirror = QueueMirror()
        let ids = (0..<3).map { _ in MessageID.make() }
        read(&mirror, [row(ids[0], 0), row(ids[1], 1)])
        mirror.beginReading()
        mirror.push(row(ids[2], 2).answer)
        mirror.forget(ids[1])
        let chosen = mirror.next { _ in true }
        #expect(chosen?.message == ids[0])
        // The rows were read before these changes.
        mirror.endReading([row(ids[0], 0), row(ids[1], 1)], isWhole: true, own: [])
        #expect(Set(mirror.queue.waiting.keys) == [ids[2]])
        #expect(Set(mirror.queue.running.keys) == [ids[0]])
    }

    @Test("a run of this node stays running, whatever its row says about the lease")
    func own() {
        var mirror = QueueMirror()
        let id = MessageID.make()
        mirror.push(row(id, 0).answer)
        _ = mirror.next { _ in true }
        read(&mirror, [row(id, 0)], own: [id])
        #expect(mirror.queue.running[id] != nil)
        read(&mirror, [row(id, 0)])
        #expect(mirror.queue.waiting[id] != nil)
    }

    @Test("a failed or incomplete read removes nothing")
    func partial() {
        var mirror = QueueMirror()
        let ids = (0..<2).map { _ in MessageID.make() }
        read(&mirror, [row(ids[0], 0)])
        mirror.beginReading()
        mirror.endReading(nil, isWhole: false, own: [])
        #expect(mirror.queue.waiting.count == 1)
        read(&mirror, [row(ids[1], 1)], isWhole: false)
        #expect(mirror.queue.waiting.count == 2)
    }

    @Test("a conversation's new model is applied")
    func models() {
        var mirror = QueueMirror()
        let first = row(.make(), 0)
        read(&mirror, [first])
        var changed = first
        changed.answer.model = "other"
        read(&mirror, [changed])
        #expect(mirror.queue.waiting[first.answer.message]?.model == "other")
        #expect(mirror.next { $0.model == "demo" } == nil)
    }
}
