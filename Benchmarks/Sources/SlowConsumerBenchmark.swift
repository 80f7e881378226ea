// One of a thousand subscribers stops reading while an answer is generated for a minute: how that affects
// the others, how much memory it costs the server, and whether the slow consumer has the exact text at
// the end.

import ArgumentParser
import ChatClient
import ChatProtocol
import Digests
import EventLoop
import HTTPProtocol

struct SlowConsumerBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slow-consumer",
        abstract: "Let one of many readers sleep while an answer grows.",
        discussion: """
            The server must be “stoa-bench serve --pace NUMBER”. All connections are of the user \
            whose token is SHA-256 of “bench 0”. Exits with 1 where the slow consumer's text is another.
            """
    )

    @Option(help: "The server, such as http://127.0.0.1:8080.") var server: String
    @Option(help: "Its process, to read its memory.") var process: Int
    @Option(help: "Connections that watch, the slow consumer included.") var watchers = 1000
    @Option(help: "Seconds of the answer, during which the slow consumer does not read.")
    var seconds =
        60
    @Option(help: "The server's pace, in milliseconds.") var pace = 40

    func validate() throws {
        // An answer has to fit into the demo model's context.
        guard watchers > 1, pace > 0, (1...1800).contains(seconds * 1000 / pace) else {
            throw ValidationError("takes two watchers or more, and answers of up to 1,800 words")
        }
    }

    func run() async throws {
        guard let origin = HTTPOrigin(server) else {
            throw ValidationError("not a server's URL")
        }
        _ = DescriptorLimit.raise()
        let (count, process, words) = (watchers, process, seconds * 1000 / pace)
        let span = Duration.seconds(seconds)
        let (reading, paused) = try await EventLoop.run { loop in
            let server = LoadServer(origin: origin)
            let audience = try await Audience(loop, server, process: process, count: count)
            let reading = try await audience.watch(words: words, over: span, isPaused: false)
            let paused = try await audience.watch(words: words, over: span, isPaused: true)
            return (reading, paused)
        }
        reading.print(as: "reading")
        paused.print(as: "paused")
        let ratio = paused.delivery.percentile(0.99) / reading.delivery.percentile(0.99)
        report("slow_consumer_p99_ratio", ratio)
        report("slow_consumer_text_bytes", Double(paused.textBytes))
        report("slow_consumer_words", Double(words))
        report("slow_consumer_text_is_exact", reading.isExact && paused.isExact ? 1 : 0)
        guard reading.isExact, paused.isExact else { throw ExitCode.failure }
    }
}

/// The measurements of one answer.
private struct Watching: Sendable {
    /// From writing a delta to each reader, in milliseconds.
    var delivery = Sample()
    /// From the first reader of a delta to each other one, in milliseconds.
    var spread = Sample()
    /// The server's peak memory in bytes.
    var memoryMax = 0
    /// The number of deltas in which the slow consumer got the text.
    var slowConsumerPieces = 0
    var textBytes = 0
    var isExact = false

    func print(as name: String) {
        report("slow_consumer_\(name)_delivery_p50_ms", delivery.median)
        report("slow_consumer_\(name)_delivery_p99_ms", delivery.percentile(0.99))
        report("slow_consumer_\(name)_spread_p99_ms", spread.percentile(0.99))
        report("slow_consumer_\(name)_memory_max_mb", Double(memoryMax) / 1_048_576)
        report("slow_consumer_\(name)_pieces", Double(slowConsumerPieces))
    }
}

/// The readers and the sender. Used on one event loop.
private final class Audience {
    /// The start of the frame with an answer's end.
    private static let end = Array(#"{"ev":"message.completed""#.utf8)

    private let loop: EventLoop
    private let process: Int
    private let asker: LoadSocket
    private let readers: [LoadSocket]
    private let server: LoadServer
    private let token: String
    /// Another one for each answer: a connection that has read a lot has megabytes in the kernel.
    private var slowConsumer: LoadSocket
    private var view = ConversationView(.make())
    private var watching = Watching()
    /// When each delta, by its write time, was first read.
    private var firstRead: [Int64: Int64] = [:]
    /// The last delta of each reader.
    private var latest: [Int64] = []
    private var readersLeft = 0

    init(
        _ loop: EventLoop,
        _ server: LoadServer,
        process: Int,
        count: Int
    ) async throws {
        self.loop = loop
        self.process = process
        self.server = server
        token = SHA256.digest(of: "bench 0").hexadecimal
        asker = try await LoadSocket.open(loop, server, token: token)
        var readers: [LoadSocket] = []
        for _ in 1..<count {
            readers.append(try await LoadSocket.open(loop, server, token: token))
        }
        self.readers = readers
        slowConsumer = try await LoadSocket.open(loop, server, token: token, isNarrow: true)
        for (index, reader) in readers.enumerated() {
            reader.onText = { [weak self] in self?.note($0, index) }
        }
    }

    /// Replaces the slow consumer's connection.
    private func reconnectSlowConsumer() async throws {
        slowConsumer.close()
        slowConsumer = try await LoadSocket.open(loop, server, token: token, isNarrow: true)
        slowConsumer.onText = { [weak self] in self?.apply($0) }
    }

    /// Requests an answer in a new conversation that all readers watch.
    func watch(words: Int, over span: Duration, isPaused: Bool) async throws -> Watching {
        try await reconnectSlowConsumer()
        let conversation = try await beginConversation(words: words)
        if isPaused { sleep(for: span) }
        let memory = loop.spawn { [self] in await watchMemory() }
        let answer = try await asker.call(
            .messageSend,
            MessageSendRequest(
                conversation: conversation,
                key: "\(MessageID.make())",
                text: "Say \(words) words."
            )
        ).answer.id
        try await wait(atMost: span * 2 + .seconds(60)) {
            readersLeft == 0 && view.message(answer)?.state.isFinal == true
        }
        memory.cancel()
        await memory.wait()
        guard Set(latest).count == 1 else {
            throw LoadError.unexpected("readers have answers of different lengths")
        }
        let stored = try await asker.call(
            .messageList,
            MessageListRequest(conversation: conversation, limit: 10)
        ).messages.first { $0.id == answer }
        let text = Array((view.message(answer)?.text ?? "").utf8)
        watching.textBytes = text.count
        watching.isExact =
            view.mismatch == nil && !text.isEmpty && text == (stored?.text).map { Array($0.utf8) }
        return watching
    }

    private func beginConversation(words: Int) async throws -> ConversationID {
        let conversation = try await asker.call(
            .conversationCreate,
            ConversationCreateRequest(
                key: "\(MessageID.make())",
                settings: GenerationSettings(maxTokens: words + 10)
            )
        ).conversation.id
        watching = Watching()
        firstRead = [:]
        latest = readers.map { _ in 0 }
        readersLeft = readers.count
        view = ConversationView(conversation)
        let request = ConversationWatchRequest(conversation: conversation)
        for reader in readers {
            _ = try await reader.call(
                .conversationWatch,
                request
            )
        }
        let reply = try await slowConsumer.call(
            .conversationWatch,
            view.watchRequest
        )
        _ = view.apply(reply)
        return conversation
    }

    /// The slow consumer stops reading. It sends one ping, since the server closes a connection
    /// that is silent for a minute.
    private func sleep(for span: Duration) {
        slowConsumer.stopReading()
        loop.schedule(after: span / 2) { [slowConsumer] in slowConsumer.ping() }
        loop.schedule(after: span) { [slowConsumer] in slowConsumer.read() }
    }

    private func watchMemory() async {
        while let bytes = try? ProcessMemory.resident(of: process) {
            watching.memoryMax = max(watching.memoryMax, bytes)
            do { try await loop.sleep(for: .milliseconds(100)) } catch { return }
        }
    }

    private func wait(atMost limit: Duration, until isDone: () -> Bool) async throws {
        let end = loop.now + limit
        while !isDone() {
            guard loop.now < end, slowConsumer.isOpen else { throw LoadError.timedOut }
            try await loop.sleep(for: .milliseconds(50))
        }
    }

    // MARK: Received frames

    private func note(_ frame: UnsafeRawBufferPointer, _ reader: Int) {
        if frame.starts(with: Self.end) {
            readersLeft -= 1
            return
        }
        guard let written = StampedText.time(in: frame) else { return }
        let now = StampedText.now
        let first = firstRead[written] ?? now
        firstRead[written] = first
        latest[reader] = written
        watching.delivery.add(Double(now - written) / 1_000_000)
        watching.spread.add(Double(now - first) / 1_000_000)
    }

    private func apply(_ frame: UnsafeRawBufferPointer) {
        guard case .event(let event)? = try? ServerFrame.parse(Array(frame)) else { return }
        if case .messageDelta = event { watching.slowConsumerPieces += 1 }
        _ = view.apply(event)
    }
}
