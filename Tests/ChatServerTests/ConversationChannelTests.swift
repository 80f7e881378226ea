import ChatProtocol
import ChatServer
import Networking
import Testing

/// A subscriber whose reading speed the test controls.
private final class Reader: Watcher {
    var frames: [ServerEvent] = []
    var isSlow = false
    var isStuck = false

    func send(_ frame: SharedBytes) {
        // A server's frame has a header of two bytes, or four from 126 bytes on.
        let start = frame.bytes[1] < 126 ? 2 : 4
        guard case .event(let event)? = try? ServerFrame.parse(Array(frame.bytes[start...])) else {
            Issue.record("a frame is no event")
            return
        }
        frames.append(event)
    }

    func tell(_ frame: SharedBytes, _ kind: FrameKind) {
        send(frame)
        guard case .text(let delta) = kind else { return }
        #expect(deltas.last?.at == delta.at)
        #expect(deltas.last?.text == delta.text)
    }

    var deltas: [MessageDelta] {
        frames.compactMap { if case .messageDelta(let delta) = $0 { delta } else { nil } }
    }

    var text: String { deltas.map(\.text).joined() }
    var numbers: [Int64] { frames.compactMap(\.n) }
}

@Suite("A conversation's channel")
struct ConversationChannelTests {
    private let conversation = ConversationID.make()
    private let message = MessageID.make()
    private let run = RunID.make()

    private func channel() -> ConversationChannel {
        let channel = ConversationChannel(conversation: conversation)
        channel.start(LiveAnswer(conversation: conversation, message: message, run: run))
        return channel
    }

    private func member(_ n: Int64) -> ServerEvent {
        .memberChanged(
            MemberChanged(
                conversation: conversation,
                n: n,
                user: User(id: .make(), name: "ann"),
                role: nil
            )
        )
    }

    private func ended(_ n: Int64, _ count: Int) -> ServerEvent {
        .messageCompleted(
            MessageEnded(
                conversation: conversation,
                n: n,
                message: message,
                run: run,
                to: count,
                sha256: "",
                usage: nil,
                finish: .stop
            )
        )
    }

    private func watch(_ channel: ConversationChannel, _ reader: Reader, n: Int64) {
        channel.begin(reader)
        channel.activate(reader, n: n)
    }

    private func grow(_ channel: ConversationChannel, _ text: String) {
        _ = channel.append(text, to: message)
        channel.flush(message)
    }

    @Test("sends every subscriber the whole text, with contiguous offsets")
    func deltas() {
        let channel = channel()
        let reader = Reader()
        watch(channel, reader, n: 0)
        for piece in ["Hel", "lo, ", "wörld", " 🙂"] { grow(channel, piece) }
        #expect(reader.text == "Hello, wörld 🙂")
        #expect(reader.deltas.first?.at == 0)
        for (left, right) in zip(reader.deltas, reader.deltas.dropFirst()) {
            #expect(left.to == right.at)
        }
    }

    @Test("sends a subscriber who joins during an answer the text so far, then the rest once")
    func joining() {
        let channel = channel()
        let early = Reader()
        watch(channel, early, n: 0)
        grow(channel, "one ")
        // Text that has arrived but has not been sent yet.
        _ = channel.append("two ", to: message)
        let late = Reader()
        channel.begin(late)
        let growing = channel.growing(have: [:])
        channel.activate(late, n: 0)
        grow(channel, "three")
        #expect(growing.map(\.text) == ["one two "])
        #expect(late.text == "three")
        #expect(late.deltas.first?.at == growing.first?.to)
        #expect(early.text == "one two three")
    }

    @Test("reports a snapshot as too old if another subscriber's later one set the position")
    func olderSnapshot() {
        let channel = channel()
        let (first, second) = (Reader(), Reader())
        channel.begin(first)
        channel.begin(second)
        channel.activate(second, n: 3)
        #expect(channel.misses(first, after: 0))
        #expect(!channel.misses(first, after: 3))
        // Later events are held back.
        channel.receive(4, member(4))
        #expect(channel.misses(first, after: 2))
        #expect(!channel.misses(first, after: 3))
        channel.activate(first, n: 3)
        #expect(first.numbers == [4])
    }

    @Test("reports a snapshot as too old if an answer ended after it")
    func endedMeanwhile() {
        let channel = channel()
        let (early, late) = (Reader(), Reader())
        watch(channel, early, n: 0)
        channel.begin(late)
        grow(channel, "text")
        channel.receive(1, ended(1, 4))
        #expect(early.text == "text")
        // The text is no longer in memory, and the held event does not contain it.
        #expect(channel.growing(have: [:]).isEmpty)
        #expect(channel.misses(late, after: 0))
        #expect(!channel.misses(late, after: 1))
    }

    @Test("sends nothing of an answer before its creation, and everything after it")
    func createdElsewhere() {
        let channel = ConversationChannel(conversation: conversation)
        let reader = Reader()
        watch(channel, reader, n: 0)
        channel.start(
            LiveAnswer(conversation: conversation, message: message, run: run, createdN: 2)
        )
        _ = channel.append("one ", to: message)
        channel.flush(message)
        channel.receive(1, member(1))
        _ = channel.append("two", to: message)
        channel.flush(message)
        #expect(reader.text.isEmpty)
        channel.receive(2, member(2))
        #expect(reader.numbers == [1, 2])
        #expect(reader.text == "one two")
        // An older snapshot must be read again.
        let late = Reader()
        channel.begin(late)
        #expect(channel.misses(late, after: 1))
        #expect(!channel.misses(late, after: 2))
    }

    @Test("sends nothing more of a deleted answer")
    func deletion() {
        let channel = channel()
        let reader = Reader()
        watch(channel, reader, n: 0)
        grow(channel, "one ")
        _ = channel.append("two ", to: message)
        let deleted = MessageDeleted(conversation: conversation, n: 1, messages: [message])
        channel.receive(1, .messageDeleted(deleted))
        channel.flush(message)
        grow(channel, "three")
        #expect(reader.text == "one ")
        #expect(reader.numbers == [1])
        #expect(channel.growing(have: [:]).isEmpty)
    }

    @Test("sends a subscriber with a part of the text the rest of it")
    func having() {
        let channel = channel()
        grow(channel, "one two")
        let growing = channel.growing(have: [message.description: 4])
        #expect(growing.map(\.text) == ["two"])
        #expect(growing.map(\.at) == [4])
    }

    @Test("moves an offset inside a character back to its first byte")
    func splitOffsets() {
        let channel = channel()
        grow(channel, "aé")
        let growing = channel.growing(have: [message.description: 2])
        #expect(growing.map(\.at) == [1])
        #expect(growing.map(\.text) == ["é"])
    }

    @Test("merges a slow consumer's deltas into one, and delays no other subscriber")
    func slowReaders() {
        let channel = channel()
        let slow = Reader()
        let fast = Reader()
        watch(channel, slow, n: 0)
        watch(channel, fast, n: 0)
        grow(channel, "a")
        slow.isSlow = true
        for piece in ["b", "c", "d"] { grow(channel, piece) }
        #expect(slow.text == "a")
        #expect(fast.text == "abcd")
        slow.isSlow = false
        channel.resume(slow)
        grow(channel, "e")
        #expect(slow.deltas.map(\.text) == ["a", "bcd", "e"])
    }

    @Test("sends a slow consumer the rest of the text before the answer's end")
    func slowEnd() {
        let channel = channel()
        let slow = Reader()
        watch(channel, slow, n: 4)
        slow.isSlow = true
        grow(channel, "text")
        channel.finish(message)
        channel.receive(5, ended(5, 4))
        #expect(slow.text == "text")
        #expect(slow.frames.last?.name == .messageCompleted)
    }

    @Test("sends `lagged` once to a subscriber that does not read, and unsubscribes it")
    func stuckReaders() {
        let channel = channel()
        let stuck = Reader()
        watch(channel, stuck, n: 0)
        stuck.isStuck = true
        channel.receive(1, member(1))
        channel.receive(2, member(2))
        #expect(stuck.frames.map(\.name) == [.lagged])
        #expect(!channel.isWatching(stuck))
    }

    @Test("sends durable events in order and once, whatever happens while a snapshot is read")
    func order() {
        let channel = channel()
        let first = Reader()
        channel.begin(first)
        channel.receive(3, member(3))
        channel.receive(2, member(2))
        // The snapshot includes everything up to 2.
        channel.activate(first, n: 2)
        let second = Reader()
        channel.begin(second)
        channel.receive(5, member(5))
        channel.receive(4, member(4))
        // This one was read later, and includes 4 already.
        channel.activate(second, n: 4)
        channel.receive(6, member(6))
        #expect(first.numbers == [3, 4, 5, 6])
        #expect(second.numbers == [5, 6])
    }

    @Test("keeps an ended answer's text until its end was sent, and no longer")
    func forgetting() {
        let channel = channel()
        grow(channel, "text")
        let reader = Reader()
        channel.begin(reader)
        channel.finish(message)
        channel.receive(1, ended(1, 4))
        #expect(channel.growing(have: [:]).map(\.text) == ["text"])
        channel.activate(reader, n: 0)
        #expect(reader.numbers == [1])
        #expect(channel.answers.isEmpty)
        channel.end(reader)
        #expect(channel.isIdle)
    }

    @Test("begins a run once, also while its end waits for an earlier event")
    func beginningAgain() {
        let channel = channel()
        let reader = Reader()
        watch(channel, reader, n: 0)
        grow(channel, "t")
        _ = channel.append("ext", to: message)
        #expect(!channel.hasEnded(message))
        channel.finish(message)
        channel.receive(2, ended(2, 4))
        // What was read from the database before the end arrives now.
        #expect(channel.hasEnded(message))
        channel.start(LiveAnswer(conversation: conversation, message: message, run: run))
        grow(channel, "")
        channel.receive(1, member(1))
        #expect(reader.deltas.map(\.at) == [0, 1])
        #expect(reader.text == "text")
        #expect(reader.numbers == [1, 2])
        #expect(channel.hasEnded(message))
    }

    @Test("sends nothing of an answer to a subscriber whose snapshot has its end")
    func newerSnapshot() {
        let channel = channel()
        let (early, late) = (Reader(), Reader())
        watch(channel, early, n: 0)
        grow(channel, "te")
        channel.begin(late)
        channel.activate(late, n: 1, ended: [message])
        grow(channel, "xt")
        channel.receive(1, ended(1, 4))
        #expect(early.text == "text")
        #expect(early.numbers == [1])
        #expect(late.frames.isEmpty)
        channel.receive(2, member(2))
        #expect(late.numbers == [2])
    }

    @Test("sends nothing of an answer whose creation was read after its end")
    func createdWithWholeText() {
        let channel = ConversationChannel(conversation: conversation)
        let reader = Reader()
        watch(channel, reader, n: 0)
        channel.start(
            LiveAnswer(conversation: conversation, message: message, run: run, createdN: 1)
        )
        grow(channel, "te")
        let answer = Message(
            id: message,
            conversation: conversation,
            parent: nil,
            role: .assistant,
            author: nil,
            text: "text",
            state: .complete,
            run: run,
            createdAt: Timestamp(milliseconds: 1)
        )
        channel.receive(
            1,
            .messageCreated(MessageCreated(conversation: conversation, n: 1, message: answer))
        )
        #expect(channel.hasEnded(message))
        channel.receive(2, ended(2, 4))
        #expect(reader.text.isEmpty)
        #expect(reader.numbers == [1, 2])
    }

    @Test("every subscriber at any time ends with the whole text")
    func property() {
        for _ in 0..<200 {
            let channel = channel()
            var readers: [(reader: Reader, prefix: String)] = []
            var whole = ""
            for _ in 0..<40 {
                switch Int.random(in: 0..<5) {
                case 0:
                    let reader = Reader()
                    channel.begin(reader)
                    let prefix = channel.growing(have: [:]).map(\.text).joined()
                    channel.activate(reader, n: 0)
                    readers.append((reader, prefix))
                case 1:
                    channel.flush(message)
                case 2:
                    guard let reader = readers.randomElement()?.reader else { continue }
                    reader.isSlow.toggle()
                    if !reader.isSlow { channel.resume(reader) }
                default:
                    let piece = ["a", "é", "🙂", "word "].randomElement() ?? ""
                    whole += piece
                    _ = channel.append(piece, to: message)
                }
            }
            channel.finish(message)
            channel.receive(1, ended(1, whole.utf8.count))
            for (reader, prefix) in readers {
                #expect(prefix + reader.text == whole)
            }
        }
    }
}
