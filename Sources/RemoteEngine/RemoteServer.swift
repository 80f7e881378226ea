// One remote engine as this node sees it: what it is, whether it works, how much it has to do. Lives
// on its loop.

import EngineProtocol
import EventLoop
import HTTPProtocol
import JSONText
import Networking

/// One remote engine.
final class RemoteServer {
    /// How long what its metrics told counts, and the shortest time between two readings.
    private static let loadLifetime: Duration = .seconds(2)

    let address: RemoteAddress
    /// Identifies it among the engines of its model; later ones have greater numbers.
    let index: Int
    let connections: EngineConnections
    /// Whether it gets requests.
    var breaker = CircuitBreaker()
    /// The answers that it generates for this node.
    var running = 0
    /// Whether an administrator wants it to get no new requests.
    var isDraining: Bool
    /// Whether it was removed: it only finishes its running answers.
    var isRemoved = false
    /// The latest fault, until it answers again.
    private(set) var fault: EngineFault?
    /// The number of answers that it finished, and of those that failed.
    private(set) var finishedCount = 0
    private(set) var failedCount = 0
    /// What it said about itself; nil until it was asked, and after a fault.
    private(set) var profile: EngineProfile?
    /// Maximum tokens of prompt and answer together: what it told last, at most what was set.
    private(set) var contextLength: Int?
    /// Whether the log says that this is less than what was set.
    var isContextLogged = false
    /// What its metrics told last, beyond the answers of this node.
    private var foreignLoad: (requests: Int, readAt: ContinuousClock.Instant)?
    private var load: EngineLoad?
    private var isReadingLoad = false

    private let loop: EventLoop

    init(_ address: RemoteAddress, index: Int, loop: EventLoop, resolver: HostResolver) {
        self.address = address
        self.index = index
        self.loop = loop
        isDraining = address.isDraining
        contextLength = address.contextLimit
        connections = EngineConnections(address, loop: loop, resolver: resolver)
    }

    // MARK: Choice

    /// Whether it may get a request now.
    func admits(at now: ContinuousClock.Instant) -> Bool {
        !isDraining && !isRemoved && breaker.admits(at: now)
    }

    /// The number of answers that it is asked for at once.
    var slots: Int { max(1, min(address.slots, profile?.slots ?? .max)) }

    func candidate(at now: ContinuousClock.Instant) -> EngineChoice.Candidate {
        var foreign = 0
        if let foreignLoad, now - foreignLoad.readAt < Self.loadLifetime * 2 {
            foreign = foreignLoad.requests
        }
        return EngineChoice.Candidate(
            index: index,
            running: running,
            slots: slots,
            foreign: foreign
        )
    }

    // MARK: Results

    /// Notes that an answer was generated.
    func succeeded() {
        breaker.succeeded()
        fault = nil
        finishedCount += 1
    }

    /// Notes a fault. After one the engine may be another one, so it is asked again what it is.
    func failed(_ fault: EngineFault) {
        failedCount += 1
        guard !fault.blamesRequest else { return breaker.abandoned(at: loop.now) }
        self.fault = fault
        switch fault {
        case .busy(_, let seconds):
            breaker.paused(at: loop.now, for: seconds.map { .seconds($0) })
        case .unreachable, .unauthorized, .notFound, .redirected, .malformed:
            profile = nil
            connections.close()
            breaker.failed(at: loop.now, opensAtOnce: true)
        default:
            profile = nil
            breaker.failed(at: loop.now)
        }
    }

    /// Notes that it did not say what it is. That is no request of a user: the breaker stays closed.
    func didNotIntroduceItself(_ fault: EngineFault) { self.fault = fault }

    // MARK: What it is

    /// What the engine is; asked at most once between faults.
    func knownProfile(
        until end: ContinuousClock.Instant? = nil
    ) async throws(EngineFault) -> EngineProfile {
        if let profile { return profile }
        var replies: [EngineProbe: JSONValue] = [:]
        for probe in EngineProbe.allCases {
            let path = probe.path(below: address.path)
            let (status, body) = try await connections.document(path, within: documentLimit(end))
            if probe == .models, status != 200 {
                throw AnswerChunk.fault(status: status, retryAfter: nil, body: body)
            }
            if status == 200 { replies[probe] = try? JSONValue(parsing: body) }
        }
        let found = try EngineProfile(model: address.model, replies)
        profile = found
        fault = nil
        if let told = found.contextLength {
            contextLength = min(told, address.contextLimit ?? told)
        }
        return found
    }

    private func documentLimit(_ end: ContinuousClock.Instant? = nil) -> WaitLimit {
        WaitLimit(.connection, address.deadlines.connection, from: loop.now).until(end)
    }

    // MARK: Load

    /// Reads its metrics, if it has any that tell its load and they were not read lately. Nobody
    /// waits for them: the next choices take them into account.
    func refreshLoad() {
        guard let kind = profile?.kind, kind.loadMetrics != nil, !isReadingLoad else { return }
        if let foreignLoad, loop.now - foreignLoad.readAt < Self.loadLifetime { return }
        isReadingLoad = true
        loop.spawn { [self] in await readLoad(kind) }
    }

    private func readLoad(_ kind: EngineKind) async {
        let base = address.path
        let root = base.hasSuffix("/v1") ? String(base.dropLast(3)) : base
        let reply = try? await connections.document("\(root)/metrics", within: documentLimit())
        isReadingLoad = false
        // Without metrics, the answers of this node are what is known.
        load = reply.flatMap { $0.0 == 200 ? EngineLoad(metrics: $0.1, of: kind) : nil }
        foreignLoad = (max(0, (load?.total ?? 0) - running), loop.now)
    }

    // MARK: For administrators

    func status(at now: ContinuousClock.Instant) -> RemoteStatus {
        let state: RemoteStatus.State =
            switch breaker.state {
            case _ where isRemoved: .removed
            case _ where isDraining: .draining
            case .closed: .available
            case .halfOpen: .probing
            case .open(let until, _): until > now ? .paused : .probing
            }
        return RemoteStatus(
            label: address.label,
            origin: "\(address.base.origin)",
            kind: profile.map {
                [$0.kind.rawValue, $0.version].compactMap(\.self).joined(separator: " ")
            },
            takesTokens: profile?.kind.takesTokens,
            adjustsLogits: profile?.kind.adjustsLogits,
            limitsThinking: profile?.kind.limitsThinking,
            running: running,
            slots: slots,
            contextLength: contextLength,
            runningThere: load?.running,
            waitingThere: load?.waiting,
            finished: finishedCount,
            failed: failedCount,
            state: state,
            fault: fault.map { "\($0)" }
        )
    }
}
