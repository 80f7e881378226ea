// Pings for all connections of a loop with one timer: a timer wheel whose bins are visited in turn.
// A timer for each connection would cost an entry and a closure for each.

public import EventLoop

/// Pings WebSockets that have been idle, and detects those that have timed out.
public final class KeepAlive {
    /// The number of bins in a round. With 20,000 connections each has eight, so that pings cause
    /// no load peaks.
    private static let binCount = 2500
    /// The distance between the bins of consecutive members; visits every bin and spreads members
    /// over the round.
    private static let stride = 1549

    /// The position of a member.
    struct Slot {
        var bin: Int32 = 0
        var index: Int32 = 0
    }

    /// The idle time after which a WebSocket has timed out.
    public let idleTimeout: Duration

    private let loop: EventLoop
    private let interval: Duration
    /// The idle time after which a visit sends a ping. A client that has just connected or sent a
    /// message needs none.
    private let pingThreshold: Duration
    private let step: Duration
    private var bins = [[WebSocketStream]](repeating: [], count: KeepAlive.binCount)
    /// The last visited bin, and the time at which its visit was due.
    private var hand = 0
    private var handTime: ContinuousClock.Instant
    /// The bin of the latest member.
    private var filled = 0
    private var memberCount = 0
    /// When the next non-empty bin is due, as far as known; nil if there is none.
    private var wakeTime: ContinuousClock.Instant?
    private var timer: TimerToken?

    /// Creates an empty wheel.
    /// - Parameters:
    ///   - loop: the loop of all its members.
    ///   - interval: the duration of a round. Each member is visited once in it, and pinged if it
    ///     has been idle for half of it.
    ///   - idleTimeout: how long a peer may send nothing, not even a pong.
    public init(
        loop: EventLoop,
        interval: Duration = .seconds(25),
        idleTimeout: Duration = .seconds(60)
    ) {
        self.loop = loop
        self.interval = interval
        self.idleTimeout = idleTimeout
        pingThreshold = interval / 2
        step = interval / Self.binCount
        handTime = loop.now
    }

    /// Adds a member, which is first visited within a round.
    func add(_ webSocket: WebSocketStream) -> Slot {
        if memberCount == 0 { handTime = loop.now }
        filled = (filled + Self.stride) % Self.binCount
        let slot = Slot(bin: Int32(filled), index: Int32(bins[filled].count))
        bins[filled].append(webSocket)
        memberCount += 1
        wake(at: handTime + step * ((filled - hand + Self.binCount - 1) % Self.binCount + 1))
        return slot
    }

    /// Removes the member at `slot`; the last of its bin moves there.
    func remove(at slot: Slot) {
        let (bin, index) = (Int(slot.bin), Int(slot.index))
        let last = bins[bin].removeLast()
        memberCount -= 1
        guard index < bins[bin].count else { return }
        bins[bin][index] = last
        last.slot = slot
    }

    /// Schedules a visit by `time`.
    private func wake(at time: ContinuousClock.Instant) {
        if let wakeTime, wakeTime <= time { return }
        timer?.cancel()
        wakeTime = time
        timer = loop.schedule(after: time - loop.now) { [weak self] in self?.visit() }
    }

    /// Visits the bins that are due.
    private func visit() {
        timer = nil
        wakeTime = nil
        // After a delay of more than a round each member is visited once.
        handTime = max(handTime, loop.now - interval)
        while handTime + step <= loop.now {
            hand = (hand + 1) % Self.binCount
            handTime += step
            for webSocket in bins[hand] {
                webSocket.visited(idleTimeout: idleTimeout, pingThreshold: pingThreshold)
            }
        }
        for distance in 1...Self.binCount where !bins[(hand + distance) % Self.binCount].isEmpty {
            wake(at: handTime + step * distance)
            return
        }
    }
}
