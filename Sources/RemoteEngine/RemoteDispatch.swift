// Gives answers to engines: chooses one for each, reads its stream, and lets another one go on where
// one fails. Lives on its loop.

import Dispatch
import EngineProtocol
import EventLoop
import HTTPProtocol
import Inference
import Logging
import Networking
import Synchronization

/// The answers and engines of one model.
final class RemoteDispatch {
    let model: RemoteModel
    let loop: EventLoop
    let logger: Logger
    let sink: @Sendable ([TokenEvent]) -> Void
    var servers: [RemoteServer] = []
    let resolver: HostResolver
    private let workers: WorkerPool
    private let shared: SharedState
    /// Called when the context becomes another one.
    let contextChanged: (Int) -> Void
    var contextLength = RemoteModel.contextLengthDefault
    var nextIndex = 0
    private var choice = EngineChoice()
    private var waiting: [RemoteAnswer] = []
    private var running: [UInt64: RemoteAnswer] = [:]
    private var retry: TimerToken?
    private var isShutDown = false

    init(
        _ model: RemoteModel,
        loop: EventLoop,
        workers: WorkerPool,
        logger: Logger,
        shared: SharedState,
        contextChanged: @escaping (Int) -> Void,
        sink: @escaping @Sendable ([TokenEvent]) -> Void
    ) {
        self.model = model
        self.loop = loop
        self.workers = workers
        resolver = HostResolver(pool: workers)
        self.logger = logger
        self.shared = shared
        self.contextChanged = contextChanged
        self.sink = sink
    }

    // MARK: Commands

    func take(_ command: RemoteEngine.Command) {
        switch command {
        case .submit(let request):
            let answer = RemoteAnswer(request, at: loop.now)
            guard !isShutDown else { return stop(answer) }
            waiting.append(answer)
        case .cancel(let id): cancel(id)
        case .forget(let scopes): choice.forget(scopes)
        case .use(let addresses): use(addresses)
        case .leaveRemoved: for server in servers { moveAnswers(from: server) }
        case .shutDown:
            isShutDown = true
            for id in waiting.map(\.id) + running.keys { cancel(id) }
        }
        place()
    }

    private func cancel(_ id: UInt64) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            stop(waiting.remove(at: index))
        } else if let answer = running[id] {
            answer.isCancelled = true
            // It closes the connection: the engine notices, and frees its slot. The end is told when
            // the task returns.
            answer.task?.cancel()
        }
    }

    private func stop(_ answer: RemoteAnswer) {
        sink([.finished(id: answer.id, completion: answer.stopped)])
    }

    // MARK: Choosing

    /// Gives waiting answers, the oldest first, to engines that may take one.
    private func place() {
        waiting = waiting.filter { !begin($0) }
        scheduleRetry()
        publish()
    }

    private func begin(_ answer: RemoteAnswer) -> Bool {
        let now = loop.now
        let open = servers.filter { $0.admits(at: now) }
        guard !open.isEmpty else {
            answer.waits(since: now)
            guard answer.givesUpAt ?? now <= now else { return false }
            fail(answer, .noneAvailable(seconds: Int(RemoteAnswer.patience.components.seconds)))
            return true
        }
        let others = open.filter { $0.index != answer.avoided }
        let able = others.isEmpty ? open : others
        // With one engine there is no choice, and so no need to know its load.
        if able.count > 1 { for server in able { server.refreshLoad() } }
        guard
            let index = choice.choose(
                for: answer.request.cacheScope,
                from: able.map { $0.candidate(at: now) }
            ),
            let server = able.first(where: { $0.index == index })
        else { return false }
        server.breaker.begin()
        server.running += 1
        running[answer.id] = answer
        choice.note(answer.request.cacheScope, at: index)
        answer.begin(on: index, server.address.deadlines, at: now)
        answer.task = loop.spawn { [self] in await run(answer, on: server) }
        return true
    }

    /// Tries again when an engine may be asked again, or an answer is given up.
    private func scheduleRetry() {
        retry?.cancel()
        retry = nil
        let now = loop.now
        guard !waiting.isEmpty else { return }
        let times =
            servers.filter { !$0.isDraining && !$0.isRemoved }
            .compactMap { $0.breaker.nextTry(from: now) }.filter { $0 > now }
            + waiting.compactMap(\.givesUpAt).filter { $0 > now }
        guard let next = times.min() else { return }
        retry = loop.schedule(after: next - now) { [weak self] in self?.place() }
    }

    // MARK: Running

    private func run(_ answer: RemoteAnswer, on server: RemoteServer) async {
        let fault: EngineFault?
        do throws(EngineFault) {
            let completion = try await RemoteAttempt(answer, server, self).generate()
            try await checkForm(of: answer, at: completion.finish)
            server.succeeded()
            sink([.finished(id: answer.id, completion: completion)])
            fault = nil
        } catch { fault = error }
        answer.task = nil
        server.running -= 1
        running[answer.id] = nil
        if let fault { take(fault, of: answer, on: server) }
        closeRemoved()
        updateContext()
        place()
    }

    private func checkForm(
        of answer: RemoteAnswer,
        at finish: FinishReason
    ) async throws(EngineFault) {
        guard let form = answer.form(at: finish) else { return }
        let text = answer.text
        let isHeld = try? await workers.run { form.isHeld(by: text) }
        // Here if the threads have no room.
        guard isHeld ?? form.isHeld(by: text) else { throw .withoutForm }
    }

    private func take(_ fault: EngineFault, of answer: RemoteAnswer, on server: RemoteServer) {
        if answer.isCancelled {
            server.breaker.abandoned(at: loop.now)
            return stop(answer)
        }
        if answer.isMoving, answer.tokensLeft > 0, !isShutDown {
            answer.moved()
            waiting.insert(answer, at: 0)
            return
        }
        server.failed(fault)
        logger.warning(
            "remote engine failed",
            metadata: [
                "engine": "\(server.address.label)", "model": "\(model.name)",
                "error": "\(fault)", "bytes": "\(answer.text.utf8.count)",
            ]
        )
        let goesOn = answer.failed(fault, of: server.index, at: loop.now) && !isShutDown
        guard goesOn, answer.tokensLeft > 0 else { return fail(answer, fault) }
        waiting.insert(answer, at: 0)
    }

    private func fail(_ answer: RemoteAnswer, _ fault: EngineFault) {
        let cause = answer.lastFault ?? fault
        sink([
            .failed(
                id: answer.id,
                error: .remote(
                    model: model.name,
                    reason: fault == cause ? "\(fault)" : "\(fault); before that: \(cause)",
                    userText: fault.userText
                )
            )
        ])
    }

    /// Lets other engines go on with the answers of a removed one, if there are others.
    func moveAnswers(from server: RemoteServer) {
        guard server.isRemoved, servers.contains(where: { !$0.isRemoved && !$0.isDraining }) else {
            return
        }
        for answer in running.values where answer.engine == server.index && !answer.isCancelled {
            answer.isMoving = true
            // It closes the connection, so that the engine stops, too.
            answer.task?.cancel()
        }
    }

    // MARK: For other threads

    /// Publishes the figures, and wakes those who wait for the end.
    func publish() {
        let now = loop.now
        let statuses = servers.map { $0.status(at: now) }
        let hasEnded = isShutDown && waiting.isEmpty && running.isEmpty
        if hasEnded { for server in servers { server.connections.close() } }
        let endings = shared.state.withLock { state in
            state.running = running.count
            state.waiting = waiting.count
            state.statuses = statuses
            state.slots = servers.reduce(0) { $0 + $1.address.slots }
            state.contextLength = contextLength
            guard hasEnded else { return [DispatchSemaphore]() }
            state.hasEnded = true
            defer { state.endings = [] }
            return state.endings
        }
        for ending in endings { ending.signal() }
    }
}
