// The carrier's side: streams on its own loop, which execute commands and report events. This code
// does not interpret the bytes.

import EventLoop
import TLSEngine

/// Owns the sockets of another loop's streams. Lives on the carrier's loop; the mailbox there
/// retains it.
final class CarrierSockets {
    private let loop: EventLoop
    private let events: Mailbox<StreamEvent>
    private let figures = ListenerFigures()
    private var streams: [Int: CarrierStream] = [:]
    /// By the limits of listeners.
    private var groups: [StreamLimits: StreamGroup] = [:]
    /// The events to send at the end of this turn.
    private var outbox: [StreamEvent] = []

    private init(_ loop: EventLoop, _ events: Mailbox<StreamEvent>) {
        self.loop = loop
        self.events = events
    }

    /// Starts to accept commands, and sends its mailbox to the other loop.
    static func start(on loop: EventLoop, _ events: Mailbox<StreamEvent>) {
        let sockets = CarrierSockets(loop, events)
        let commands: Mailbox<StreamCommand> = loop.mailbox(capacity: .max) { batch in
            for command in batch { sockets.execute(command) }
        }
        events.post(.ready(commands))
    }

    private func execute(_ command: StreamCommand) {
        switch command {
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
            // After the end-of-turn hooks of streams with earlier writes.
            loop.atEndOfTurn { [self] in report(number) }
        }
    }

    private func open(_ opening: SocketOpening) {
        let socket = FileDescriptor(owning: opening.number)
        // Fails only if memory is exhausted.
        do {
            let tls = try opening.tls.map { try TLSEngine(server: $0) }
            figures.begin(isEncrypted: tls != nil)
            let group = group(opening.limits)
            let stream = try ByteStream(group, socket, peer: opening.peer, tls: tls)
            guard stream.isOpen else { return send(.closed(opening.stream, nil)) }
            stream.tally = opening.tally
            let carrierStream = CarrierStream(stream, opening.stream, sockets: self)
            streams[opening.stream] = carrierStream
            stream.handler = carrierStream
        } catch {
            send(.closed(opening.stream, nil))
        }
    }

    private func group(_ limits: StreamLimits) -> StreamGroup {
        if let group = groups[limits] { return group }
        let group = StreamGroup(loop, limits, figures)
        groups[limits] = group
        return group
    }

    private func report(_ number: Int) {
        // What those streams have added to the batch is sent, too.
        SendBatch.of(loop).submit()
        let report = CarrierReport(traffic: figures.traffic, turnTimes: loop.turnTimes)
        send(.reported(number, report))
    }

    // MARK: Events

    func send(_ event: StreamEvent) {
        if outbox.isEmpty { loop.atEndOfTurn(call: self) }
        outbox.append(event)
    }

    /// Reports a closed stream, unless a command has closed it.
    func closed(_ stream: Int, _ error: NetworkError?) {
        if streams.removeValue(forKey: stream) != nil { send(.closed(stream, error)) }
    }
}

extension CarrierSockets: TurnEndHandler {
    /// Sends the events of this turn.
    func turnEnded() {
        events.post(contentsOf: outbox)
        outbox.removeAll(keepingCapacity: true)
    }
}

/// A stream of the carrier.
final class CarrierStream: StreamHandler {
    /// Maximum bytes sent to the other loop that it has not consumed.
    private static let windowByteCount = 64 << 10
    /// The minimum that a message counts, for its memory.
    private static let messageByteCountMin = 512

    let stream: ByteStream
    private let number: Int
    private let sockets: CarrierSockets
    private var unconsumedByteCount = 0

    init(_ stream: ByteStream, _ number: Int, sockets: CarrierSockets) {
        self.stream = stream
        self.number = number
        self.sockets = sockets
    }

    func resumeReading() {
        unconsumedByteCount = 0
        stream.resumeReading()
    }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        sockets.send(.received(number, Array(bytes)))
        unconsumedByteCount += max(bytes.count, Self.messageByteCountMin)
        guard unconsumedByteCount >= Self.windowByteCount else { return }
        stream.pauseReading()
        sockets.send(.paused(number))
    }

    func streamReceivedEnd(_ stream: ByteStream) { sockets.send(.receivedEnd(number)) }

    func streamDrained(_ stream: ByteStream) { sockets.send(.drained(number)) }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        sockets.closed(number, error)
    }
}
