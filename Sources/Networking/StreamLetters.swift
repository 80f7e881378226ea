// What a loop and its carriers say to each other. Streams are known by numbers, none of which is used
// twice, so that what is said of one that has ended meanwhile says nothing.

import EventLoop
public import Instruments
import Synchronization
import TLSEngine

/// What a carrier is to do.
enum StreamOrder: Sendable {
    /// Begin a stream on an accepted socket, which is the carrier's from now on.
    indirect case open(SocketOpening)
    /// Write the same bytes to each of these streams.
    case write([UInt8], to: [Int])
    /// Tell once no more waits than the low mark.
    case requestDrainedCall(Int)
    /// What was told of has been taken.
    case resumeReading(Int)
    case finishWriting(Int)
    case closeAfterFlush(Int, awaitingPeer: Bool)
    case close(Int)
    /// Tell how things stand when all that was asked before is done.
    case report(Int)
}

/// An accepted socket, and what its stream is to be like.
struct SocketOpening: Sendable {
    let stream: Int
    let number: Int32
    let peer: SocketAddress
    let limits: StreamLimits
    let tls: TLSServerConfiguration?
    let tally: StreamTally
}

/// What a carrier has to tell.
enum StreamNews: Sendable {
    /// The loop turns, and takes orders.
    case ready(Mailbox<StreamOrder>)
    case received(Int, [UInt8])
    /// So much was received that nothing more is read before that was taken.
    case paused(Int)
    case receivedEnd(Int)
    case drained(Int)
    /// The last that is told of a stream, unless it was closed by an order.
    case closed(Int, NetworkError?)
    case reported(Int, CarrierReport)
}

/// How things stand on a carrier.
public struct CarrierReport: Sendable {
    /// What its streams have carried.
    public let traffic: TrafficFigures
    /// How long turns of its loop took; see `EventLoop.turnTimes`.
    public let turnTimes: Histogram
}

/// How much of what was written to a stream has left the carrier's queue. The carrier counts after each
/// flush, and the stream's owner looks when it writes: a letter for each flush of each stream would cost
/// more than all the rest.
final class StreamTally: Sendable {
    private let gone = Atomic<Int>(0)

    var goneByteCount: Int { gone.load(ordering: .relaxed) }

    func add(_ byteCount: Int) { gone.add(byteCount, ordering: .relaxed) }
}
