// The pings of all connections of a loop, by one timer: a wheel whose bins are visited in turn. A timer
// for each connection would cost each of them an entry, a closure and a place in the heap.

public import EventLoop

/// Pings the WebSockets that have joined, but for those that were heard a moment ago, and notices which have
/// fallen silent.
public final class KeepAlive {
    /// So many bins make a round. Of 20,000 connections each holds eight, so that nobody waits for the
    /// pings of a crowd.
    private static let binCount = 2500
    /// From one bin to the one that the next member is put into: all come in turn, far from each other.
    private static let stride = 1549

    /// Where a member is found.
    struct Place {
        var bin: Int32 = 0
        var index: Int32 = 0
    }

    /// From how long a silence on the handler of a WebSocket is told.
    public let silenceMax: Duration

    private let loop: EventLoop
    private let interval: Duration
    /// From how long a silence on a visit is a ping. Whoever has just shaken hands, or sends messages, has
    /// said that it is there.
    private let quietMin: Duration
    private let step: Duration
    private var bins = [[WebSocketStream]](repeating: [], count: KeepAlive.binCount)
    /// The bin that was visited last, and for when that was due.
    private var hand = 0
    private var handTime: ContinuousClock.Instant
    /// The bin that was filled last.
    private var filled = 0
    private var memberCount = 0
    /// When the next bin with members is due, as far as was known; nil where there is none.
    private var wakeTime: ContinuousClock.Instant?
    private var timer: TimerToken?

    /// A wheel without members.
    /// - Parameters:
    ///   - loop: the loop of all its members.
    ///   - interval: how long a round is. Each is visited once in it, and pinged where nothing has come for
    ///     half of that time.
    ///   - silenceMax: how long a peer may send nothing, not even the answer to a ping.
    public init(
        loop: EventLoop,
        interval: Duration = .seconds(25),
        silenceMax: Duration = .seconds(60)
    ) {
        self.loop = loop
        self.interval = interval
        self.silenceMax = silenceMax
        quietMin = interval / 2
        step = interval / Self.binCount
        handTime = loop.now
    }

    /// Takes a member in, to be visited for the first time within a round.
    func add(_ webSocket: WebSocketStream) -> Place {
        if memberCount == 0 { handTime = loop.now }
        filled = (filled + Self.stride) % Self.binCount
        let place = Place(bin: Int32(filled), index: Int32(bins[filled].count))
        bins[filled].append(webSocket)
        memberCount += 1
        wake(at: handTime + step * ((filled - hand + Self.binCount - 1) % Self.binCount + 1))
        return place
    }

    /// Lets the member at `place` go; the last of its bin takes the place.
    func remove(at place: Place) {
        let (bin, index) = (Int(place.bin), Int(place.index))
        let last = bins[bin].removeLast()
        memberCount -= 1
        guard index < bins[bin].count else { return }
        bins[bin][index] = last
        last.place = place
    }

    /// Sees to it that the bins are looked at by `time`.
    private func wake(at time: ContinuousClock.Instant) {
        if let wakeTime, wakeTime <= time { return }
        timer?.cancel()
        wakeTime = time
        timer = loop.schedule(after: time - loop.now) { [weak self] in self?.visit() }
    }

    /// Visits the bins that have become due.
    private func visit() {
        timer = nil
        wakeTime = nil
        // After a standstill of more than a round everybody is visited once.
        handTime = max(handTime, loop.now - interval)
        while handTime + step <= loop.now {
            hand = (hand + 1) % Self.binCount
            handTime += step
            for webSocket in bins[hand] {
                webSocket.visited(silenceMax: silenceMax, quietMin: quietMin)
            }
        }
        for distance in 1...Self.binCount where !bins[(hand + distance) % Self.binCount].isEmpty {
            wake(at: handTime + step * distance)
            return
        }
    }
}
