// A carrier's side of the work: streams on its own loop, which do what the orders say and tell what happens.
// Nothing here knows what the bytes mean.

import EventLoop
import TLSEngine

/// Keeps the sockets of another loop's streams. Lives on the carrier's loop, whose mailbox holds it.
final class SocketKeeper {
    private let loop: EventLoop
    private let news: Mailbox<StreamNews>
    private let figures = ListenerFigures()
    private var streams: [Int: KeptStream] = [:]
    /// What crosses at the end of this turn.
    private var untold: [StreamNews] = []

    private init(_ loop: EventLoop, _ news: Mailbox<StreamNews>) {
        self.loop = loop
        self.news = news
    }

    /// Begins to take orders, and says where.
    static func begin(on loop: EventLoop, _ news: Mailbox<StreamNews>) {
        let keeper = SocketKeeper(loop, news)
        let orders: Mailbox<StreamOrder> = loop.mailbox(capacity: .max) { batch in
            for order in batch { keeper.obey(order) }
        }
        news.post(.ready(orders))
    }

    private func obey(_ order: StreamOrder) {
        switch order {
        case .open(let opening): open(opening)
        case .write(let bytes, let recipients):
            for stream in recipients { streams[stream]?.stream.write(bytes) }
        case .requestDrainedCall(let stream): streams[stream]?.stream.requestDrainedCall()
        case .resumeReading(let stream): streams[stream]?.resumeReading()
        case .finishWriting(let stream): streams[stream]?.stream.finishWriting()
        case .closeAfterFlush(let stream, let awaitingPeer):
            streams[stream]?.stream.closeAfterFlush(awaitingPeer: awaitingPeer)
        case .close(let stream): streams.removeValue(forKey: stream)?.stream.close()
        case .report(let number):
            // Streams that were written to before have their turn's end before this one.
            loop.atEndOfTurn { [self] in report(number) }
        }
    }

    private func open(_ opening: SocketOpening) {
        let socket = FileDescriptor(owning: opening.number)
        // Fails only where there is no memory.
        do {
            let stream = try ByteStream(
                loop: loop,
                descriptor: socket,
                peer: opening.peer,
                limits: opening.limits,
                tls: try opening.tls.map { try TLSEngine(server: $0) }
            )
            guard stream.isOpen else { return tell(.closed(opening.stream, nil)) }
            figures.begin(stream)
            stream.tally = opening.tally
            let kept = KeptStream(stream, opening.stream, keeper: self)
            streams[opening.stream] = kept
            stream.handler = kept
        } catch {
            tell(.closed(opening.stream, nil))
        }
    }

    private func report(_ number: Int) {
        let report = CarrierReport(traffic: figures.traffic, turnTimes: loop.turnTimes)
        tell(.reported(number, report))
    }

    // MARK: Telling

    func tell(_ item: StreamNews) {
        if untold.isEmpty { loop.atEndOfTurn(tell: self) }
        untold.append(item)
    }

    /// A stream is closed; who has ordered that need not hear of it.
    func closed(_ stream: Int, _ error: NetworkError?) {
        if streams.removeValue(forKey: stream) != nil { tell(.closed(stream, error)) }
    }
}

extension SocketKeeper: TurnEndHandler {
    /// Sends what there was to tell in this turn.
    func turnEnded() {
        news.post(contentsOf: untold)
        untold.removeAll(keepingCapacity: true)
    }
}

/// One of the kept streams.
final class KeptStream: StreamHandler {
    /// So many bytes cross before the other loop has taken all of them.
    private static let windowByteCount = 64 << 10
    /// What a letter counts at least: it takes memory, however little it says.
    private static let letterByteCount = 512

    let stream: ByteStream
    private let number: Int
    private let keeper: SocketKeeper
    private var untakenByteCount = 0

    init(_ stream: ByteStream, _ number: Int, keeper: SocketKeeper) {
        self.stream = stream
        self.number = number
        self.keeper = keeper
    }

    func resumeReading() {
        untakenByteCount = 0
        stream.resumeReading()
    }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        keeper.tell(.received(number, Array(bytes)))
        untakenByteCount += max(bytes.count, Self.letterByteCount)
        guard untakenByteCount >= Self.windowByteCount else { return }
        stream.pauseReading()
        keeper.tell(.paused(number))
    }

    func streamReceivedEnd(_ stream: ByteStream) { keeper.tell(.receivedEnd(number)) }

    func streamDrained(_ stream: ByteStream) { keeper.tell(.drained(number)) }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        keeper.closed(number, error)
    }
}
