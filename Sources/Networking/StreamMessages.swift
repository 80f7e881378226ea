// Messages between a loop and its carriers. Streams have unique numbers, so messages about a stream
// that has already ended are ignored.

import EventLoop
public import Instruments
import Synchronization
import TLSEngine

/// A command for a carrier.
enum StreamCommand: Sendable {
    /// Open a stream on an accepted socket, which the carrier owns from now on.
    indirect case open(SocketOpening)
    /// Write the same bytes to each of these streams.
    case write([UInt8], to: [Int])
    /// Report when the queue is below the low mark.
    case requestDrainedCall(Int)
    /// The received bytes have been consumed.
    case resumeReading(Int)
    case finishWriting(Int)
    case closeAfterFlush(Int, awaitingPeer: Bool)
    case close(Int)
    /// Report counters after all earlier commands.
    case report(Int)
}

/// An accepted socket and the settings of its stream.
struct SocketOpening: Sendable {
    let stream: Int
    let number: Int32
    let peer: SocketAddress
    let limits: StreamLimits
    let tls: TLSServerConfiguration?
    let tally: StreamTally
}

/// An event from a carrier.
enum StreamEvent: Sendable {
    /// The loop is running and accepts commands.
    case ready(Mailbox<StreamCommand>)
    case received(Int, [UInt8])
    /// Reading has paused until the received bytes are consumed.
    case paused(Int)
    case receivedEnd(Int)
    case drained(Int)
    /// The last event of a stream, unless a command has closed it.
    case closed(Int, NetworkError?)
    case reported(Int, CarrierReport)
}

/// The counters of a carrier.
public struct CarrierReport: Sendable {
    /// The traffic of its streams.
    public let traffic: TrafficFigures
    /// Durations of its loop's turns; see `EventLoop.turnTimes`.
    public let turnTimes: Histogram
}

/// The number of written bytes that have left the carrier's queue. The carrier updates it after
/// each flush, and the owner reads it when it writes: a message for each flush of each stream would
/// be too expensive.
final class StreamTally: Sendable {
    private let sent = Atomic<Int>(0)

    var sentByteCount: Int { sent.load(ordering: .relaxed) }

    func add(_ byteCount: Int) { sent.add(byteCount, ordering: .relaxed) }
}
