// Another loop that owns sockets for this one. It makes no decisions: it does TLS and system calls,
// and streams on this loop are used as if they had their sockets here. What is written to them in a
// turn is sent in one batch; bytes for many streams are sent once.
// docs/decisions/0024-loops-for-sockets.md explains why the boundary is here.

public import EventLoop
import TLSEngine

/// A loop on its own thread for the sockets of another loop's streams.
///
/// Lives on the loop of the streams; its own loop ends when it is released.
public final class StreamCarrier {
    private let loop: EventLoop
    private var thread: EventLoopThread?
    /// The mailbox for commands; nil until the other loop runs.
    private var commands: Mailbox<StreamCommand>?
    private var streams: [Int: ByteStream] = [:]
    private var reports: [Int: LoopPromise<CarrierReport, CancellationError>] = [:]
    private var latestNumber = 0
    /// The commands to send at the end of this turn.
    private var outbox: [StreamCommand] = []
    private var isPostScheduled = false
    /// The latest write, which becomes a command when its receivers are known.
    private var latestWrite: [UInt8] = []
    private var recipients: [Int] = []

    /// Starts the thread, which uses io_uring if `loop` does.
    /// - Parameters:
    ///   - loop: the loop of the streams.
    ///   - name: the thread's name in debuggers; Linux keeps 15 bytes.
    /// - Throws: `SystemError` if no descriptor or thread is available.
    public init(for loop: EventLoop, name: String) throws(SystemError) {
        self.loop = loop
        // The queue is bounded by the read window and write limit of each stream.
        let events: Mailbox<StreamEvent> = loop.mailbox(capacity: .max) { [weak self] batch in
            self?.handle(batch)
        }
        let usesIOUring = loop.usesIOUring
        thread = try EventLoop.launch(name: name) { other in
            other.usesIOUring = usesIOUring
            CarrierSockets.start(on: other, events)
        }
    }

    deinit { thread?.remote.stop() }

    /// The number of open streams.
    var streamCount: Int { streams.count }

    /// Returns the carrier's counters after all earlier writes have been passed to the system, as
    /// far as peers read, and all earlier closes are done.
    /// - Throws: if the task is cancelled.
    public func report() async throws(CancellationError) -> CarrierReport {
        let report = LoopPromise<CarrierReport, CancellationError>(loop)
        latestNumber += 1
        reports[latestNumber] = report
        send(.report(latestNumber))
        return try await report.value { report.fail(CancellationError()) }
    }

    /// Stops the other loop, which closes the remaining streams.
    /// - Returns: its thread, to join where blocking is allowed.
    @discardableResult
    public func stop() -> EventLoopThread? {
        post()
        thread?.remote.stop()
        return thread
    }

    // MARK: Streams

    /// Opens a stream of `group` on an accepted socket, which the carrier owns from now on.
    func open(
        _ number: Int32,
        _ peer: SocketAddress,
        _ group: StreamGroup,
        _ tls: TLSServerConfiguration?
    ) -> ByteStream {
        latestNumber += 1
        let tally = StreamTally()
        let stream = ByteStream(
            group,
            carried: CarriedSocket(self, latestNumber, tally, isEncrypted: tls != nil),
            peer: peer
        )
        streams[latestNumber] = stream
        let opening = SocketOpening(
            stream: latestNumber,
            number: number,
            peer: peer,
            limits: group.limits,
            tls: tls,
            tally: tally
        )
        send(.open(opening))
        return stream
    }

    /// Writes `bytes` to a stream. If they are the same array as in the previous write, they are
    /// sent to the carrier once.
    func write(_ bytes: [UInt8], to stream: Int) {
        guard !bytes.isEmpty else { return }
        if !bytes.isSame(as: latestWrite) { queueLatestWrite() }
        latestWrite = bytes
        recipients.append(stream)
        schedulePost()
    }

    /// Closes a stream, unless the carrier has reported it as closed.
    func close(_ stream: Int) {
        if streams.removeValue(forKey: stream) != nil { send(.close(stream)) }
    }

    /// Sends any other command.
    func send(_ command: StreamCommand) {
        queueLatestWrite()
        outbox.append(command)
        schedulePost()
    }

    private func queueLatestWrite() {
        guard !recipients.isEmpty else { return }
        outbox.append(.write(latestWrite, to: recipients))
        latestWrite = []
        recipients = []
    }

    private func schedulePost() {
        guard !isPostScheduled else { return }
        isPostScheduled = true
        loop.atEndOfTurn(call: self)
    }

    private func post() {
        guard let commands else { return }
        queueLatestWrite()
        commands.post(contentsOf: outbox)
        outbox.removeAll(keepingCapacity: true)
    }

    // MARK: Events

    private func handle(_ batch: [StreamEvent]) {
        for event in batch {
            switch event {
            case .ready(let commands):
                self.commands = commands
                post()
            case .received(let stream, let bytes): streams[stream]?.carrierReceived(bytes)
            case .paused(let stream): streams[stream]?.carrierPaused()
            case .receivedEnd(let stream): streams[stream]?.carrierReceivedEnd()
            case .drained(let stream): streams[stream]?.carrierDrained()
            case .closed(let stream, let error):
                streams.removeValue(forKey: stream)?.close(error)
            case .reported(let number, let report):
                reports.removeValue(forKey: number)?.succeed(report)
            }
        }
    }
}

extension StreamCarrier: TurnEndHandler {
    /// Sends the commands of this turn.
    package func turnEnded() {
        isPostScheduled = false
        post()
    }
}

extension [UInt8] {
    /// Whether both have the same storage.
    fileprivate func isSame(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { other in
                own.baseAddress == other.baseAddress && own.count == other.count
            }
        }
    }
}
