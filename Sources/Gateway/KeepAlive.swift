// Pings for all connections of a loop with one timer: a timer wheel whose bins are visited in turn.
// A timer for each connection would cost an entry and a closure for each.

public import EventLoop

/// Pings WebSockets that have been idle, and detects those that have timed out.
public final class KeepAlive {
    /// The number of bins in a round. With 20,000 connections each has 80, which takes less than a
    /// millisecond.
    private static let binCount = 250
    /// The distance between the bins of consecutive members; visits every bin and spreads members
    /// over the round.
    private static let stride = 153

    private let loop: EventLoop
    /// The duration of a round.
    private let interval: Duration
    /// The number of consecutive visits to an idle member after which it has timed out.
    private let idleVisitsMax: UInt8
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
    ///   - pingInterval: how often an idle member is pinged. It is visited twice as often, and
    ///     pinged if it was not heard since the visit before.
    ///   - idleTimeout: how long a peer may send nothing, not even a pong, rounded up to a multiple
    ///     of the half interval.
    public init(
        loop: EventLoop,
        pingInterval: Duration = .seconds(25),
        idleTimeout: Duration = .seconds(60)
    ) {
        self.loop = loop
        interval = pingInterval / 2
        idleVisitsMax = UInt8(clamping: Int((idleTimeout / interval).rounded(.up)))
        step = interval / Self.binCount
        handTime = loop.now
    }

    /// Adds a member, which is first visited within a round.
    /// - Returns: its bin.
    func add(_ webSocket: WebSocketStream) -> UInt16 {
        if memberCount == 0 { handTime = loop.now }
        filled = (filled + Self.stride) % Self.binCount
        bins[filled].append(webSocket)
        memberCount += 1
        wake(at: handTime + step * ((filled - hand + Self.binCount - 1) % Self.binCount + 1))
        return UInt16(filled)
    }

    /// Removes a member from its bin.
    func remove(_ webSocket: WebSocketStream, from bin: UInt16) {
        let bin = Int(bin)
        guard let index = bins[bin].firstIndex(where: { $0 === webSocket }) else { return }
        bins[bin].swapAt(index, bins[bin].count - 1)
        bins[bin].removeLast()
        memberCount -= 1
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
                webSocket.visited(idleVisitsMax: idleVisitsMax)
            }
        }
        for distance in 1...Self.binCount where !bins[(hand + distance) % Self.binCount].isEmpty {
            wake(at: handTime + step * distance)
            return
        }
    }
}
