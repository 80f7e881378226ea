// Another loop that keeps sockets for this one. It decides nothing: it shakes hands, encrypts, and makes
// the system calls, and the streams on this loop are used as if they had their sockets here. What is
// written to them is gathered over a turn and crosses in one batch; bytes that go to many streams cross
// once. docs/decisions/0024-loops-for-sockets.md says why the cut is here.

public import EventLoop
import TLSEngine

/// A loop, with a thread of its own, for the sockets of another loop's streams.
///
/// Lives on the loop of the streams, and ends with it.
public final class StreamCarrier {
    private let loop: EventLoop
    private var thread: EventLoopThread?
    /// Where the other loop takes orders; nil until it turns.
    private var orders: Mailbox<StreamOrder>?
    private var streams: [Int: ByteStream] = [:]
    private var reports: [Int: LoopPromise<CarrierReport, CancellationError>] = [:]
    private var latestNumber = 0
    /// What crosses at the end of this turn.
    private var outbox: [StreamOrder] = []
    private var isPostScheduled = false
    /// The latest write, which becomes an order when it is known who gets the same bytes.
    private var latestWrite: [UInt8] = []
    private var recipients: [Int] = []

    /// Starts the thread.
    /// - Parameters:
    ///   - loop: where the streams are used.
    ///   - name: the thread's name in debuggers; Linux keeps 15 bytes.
    /// - Throws: where the system has no more descriptors or threads.
    public init(for loop: EventLoop, name: String) throws(SystemError) {
        self.loop = loop
        // What may wait is bounded for each stream: by what it reads ahead, and by its write limit.
        let news: Mailbox<StreamNews> = loop.mailbox(capacity: .max) { [weak self] batch in
            self?.take(batch)
        }
        thread = try EventLoop.launch(name: name) { other in
            SocketKeeper.begin(on: other, news)
        }
    }

    deinit { thread?.remote.stop() }

    /// How many of its streams are open.
    var streamCount: Int { streams.count }

    /// How things stand there once all that was written before this call has been handed to the system,
    /// as far as readers take it, and all that was closed before is closed.
    /// - Throws: where the task is cancelled.
    public func report() async throws(CancellationError) -> CarrierReport {
        let report = LoopPromise<CarrierReport, CancellationError>(loop)
        latestNumber += 1
        reports[latestNumber] = report
        order(.report(latestNumber))
        return try await report.value { report.fail(CancellationError()) }
    }

    /// Ends the other loop, which closes what streams are left.
    /// - Returns: its thread, to be joined where blocking does no harm.
    @discardableResult
    public func stop() -> EventLoopThread? {
        post()
        thread?.remote.stop()
        return thread
    }

    // MARK: Streams

    /// Begins a stream on an accepted socket, which belongs to the carrier from now on.
    func open(
        _ number: Int32,
        _ peer: SocketAddress,
        _ limits: StreamLimits,
        _ tls: TLSServerConfiguration?
    ) -> ByteStream {
        latestNumber += 1
        let tally = StreamTally()
        let stream = ByteStream(
            loop: loop,
            carried: CarriedSocket(self, latestNumber, tally, isEncrypted: tls != nil),
            peer: peer,
            limits: limits
        )
        streams[latestNumber] = stream
        let opening = SocketOpening(
            stream: latestNumber,
            number: number,
            peer: peer,
            limits: limits,
            tls: tls,
            tally: tally
        )
        order(.open(opening))
        return stream
    }

    /// Has `bytes` written to a stream. Where others got the same array just before, it crosses once.
    func write(_ bytes: [UInt8], to stream: Int) {
        guard !bytes.isEmpty else { return }
        if !bytes.isSame(as: latestWrite) { sealWrite() }
        latestWrite = bytes
        recipients.append(stream)
        schedulePost()
    }

    /// Has a stream closed, unless the carrier has told that it is.
    func close(_ stream: Int) {
        if streams.removeValue(forKey: stream) != nil { order(.close(stream)) }
    }

    /// Has anything else done.
    func order(_ order: StreamOrder) {
        sealWrite()
        outbox.append(order)
        schedulePost()
    }

    private func sealWrite() {
        guard !recipients.isEmpty else { return }
        outbox.append(.write(latestWrite, to: recipients))
        latestWrite = []
        recipients = []
    }

    private func schedulePost() {
        guard !isPostScheduled else { return }
        isPostScheduled = true
        loop.atEndOfTurn(tell: self)
    }

    private func post() {
        guard let orders else { return }
        sealWrite()
        orders.post(contentsOf: outbox)
        outbox.removeAll(keepingCapacity: true)
    }

    // MARK: News

    private func take(_ batch: [StreamNews]) {
        for news in batch {
            switch news {
            case .ready(let orders):
                self.orders = orders
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
    /// Sends what was gathered in this turn.
    package func turnEnded() {
        isPostScheduled = false
        post()
    }
}

extension [UInt8] {
    /// Whether both are one array, held twice.
    fileprivate func isSame(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { other in
                own.baseAddress == other.baseAddress && own.count == other.count
            }
        }
    }
}
