// A model whose engines are doubles, on a loop of its own.

import ConstrainedText
import Dispatch
import EventLoop
import HTTPProtocol
import Inference
import Logging
import RemoteEngine
import Synchronization
import Testing
import Tokenizers

/// The model, and what it answers.
final class RemoteScene: Sendable {
    /// An answer as its reader sees it.
    struct Answer {
        var text = ""
        var completion: Completion?
        var error: EngineError?
    }

    private let thread: EventLoopThread
    private let workers: WorkerPool
    private let engine: RemoteEngine
    private let readers: Readers
    private let nextID = Atomic<UInt64>(1)

    /// The streams of the answers, by request.
    private final class Readers: Sendable {
        let streams = Mutex<[UInt64: AsyncStream<TokenEvent>.Continuation]>([:])

        func receive(_ events: [TokenEvent]) {
            streams.withLock { streams in
                for event in events {
                    streams[event.id]?.yield(event)
                    if event.isLast { streams.removeValue(forKey: event.id)?.finish() }
                }
            }
        }
    }

    /// - Parameters:
    ///   - engines: the base URLs of its engines.
    ///   - slots: how many answers each may run.
    ///   - takesTokens: whether prompts are sent as token ids.
    ///   - firstToken: the deadline for a first token.
    ///   - clock: the loop's time.
    /// - Throws: if there is no thread.
    init(
        _ engines: [String],
        slots: Int = 16,
        takesTokens: Bool = true,
        firstToken: Duration = .seconds(30),
        clock: any LoopClock = SystemClock()
    ) throws {
        let addresses = try Self.addresses(engines, slots, firstToken)
        let readers = Readers()
        let workers = try WorkerPool(name: "resolver", threads: 1, queueLimit: 8)
        let encode: @Sendable (String) -> [Int32] = { $0.utf8.map { Int32($0) } }
        let model = RemoteModel(name: "phi", encode: takesTokens ? encode : nil)
        let made = Mutex<RemoteEngine?>(nil)
        let isMade = DispatchSemaphore(value: 0)
        thread = try EventLoop.launch(name: "scene", clock: clock) { loop in
            let engine = RemoteEngine(
                model,
                at: addresses,
                loop: loop,
                workers: workers,
                logger: Logger(label: "scene") { _ in SwiftLogNoOpLogHandler() },
                contextChanged: { _ in },
                sink: { readers.receive($0) }
            )
            made.withLock { $0 = engine }
            isMade.signal()
        }
        isMade.wait()
        engine = try #require(made.withLock { $0 })
        self.workers = workers
        self.readers = readers
    }

    private static func addresses(
        _ engines: [String],
        _ slots: Int,
        _ firstToken: Duration
    ) throws -> [RemoteAddress] {
        try engines.enumerated().map { number, base in
            var address = RemoteAddress(
                label: "e\(number)",
                base: try #require(HTTPURL(base)),
                model: "phi"
            )
            address.slots = slots
            address.deadlines.firstToken = firstToken
            address.deadlines.nextToken = .seconds(30)
            return address
        }
    }

    /// Ends its loop, once the engine has ended.
    func stop() {
        engine.shutdown()
        thread.remote.stop()
    }

    /// Uses these engines from now on.
    func use(_ engines: [String], draining: Set<Int> = []) throws {
        var addresses = try Self.addresses(engines, 16, .seconds(30))
        for index in draining { addresses[index].isDraining = true }
        engine.use(addresses)
    }

    /// Lets answers leave engines that are not used any more.
    func leaveRemoved() { engine.leaveRemoved() }

    var statuses: [RemoteStatus] { engine.statuses }
    var capacity: EngineCapacity { engine.capacity }

    /// Asks, and returns the events.
    func begin(
        _ scope: String? = nil,
        tokens: Int = 64,
        constraint: AnswerConstraint? = nil
    ) throws -> AsyncStream<TokenEvent> {
        let id = nextID.add(1, ordering: .relaxed).oldValue
        let (stream, continuation) = AsyncStream<TokenEvent>.makeStream()
        readers.streams.withLock { $0[id] = continuation }
        try engine.submit(
            GenerationRequest(
                id: id,
                prompt: [1, 2, 3],
                messages: [ChatMessage(role: "user", content: "Hi")],
                maxNewTokens: tokens,
                constraint: constraint,
                cacheScope: scope
            )
        )
        return stream
    }

    /// Asks, and waits for the whole answer.
    func ask(
        _ scope: String? = nil,
        tokens: Int = 64,
        constraint: AnswerConstraint? = nil
    ) async throws -> Answer {
        await read(try begin(scope, tokens: tokens, constraint: constraint))
    }

    /// Reads an answer to its end.
    func read(_ events: AsyncStream<TokenEvent>) async -> Answer {
        var answer = Answer()
        for await event in events {
            switch event {
            case .text(_, let text, _, _): answer.text += text
            case .finished(_, let completion): answer.completion = completion
            case .failed(_, let error): answer.error = error
            case .started, .progress: break
            }
        }
        return answer
    }
}
