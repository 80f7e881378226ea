// The pings of all connections of a loop, by one timer: a wheel whose bins are visited in turn. A timer
// for each connection would cost each of them an entry, a closure and a place in the heap.

public import EventLoop

/// Pings each WebSocket that has joined once a round, and notices which have fallen silent.
public final class KeepAlive {
    /// So many visits make a round, and each sees so small a part of the connections: of 20,000 it pings
    /// 80, which takes half a millisecond.
    private static let binCount = 250

    /// Where a member is found.
    struct Place {
        var bin: Int32 = 0
        var index: Int32 = 0
    }

    /// From how long a silence on the handler of a WebSocket is told.
    public let silenceMax: Duration

    private let loop: EventLoop
    private let interval: Duration
    private var bins = [[WebSocketStream]](repeating: [], count: KeepAlive.binCount)
    /// The bin that was visited last.
    private var hand = 0
    private var memberCount = 0
    private var isWound = false

    /// A wheel without members.
    /// - Parameters:
    ///   - loop: the loop of all its members.
    ///   - interval: how often each is pinged.
    ///   - silenceMax: how long a peer may send nothing, not even the answer to a ping.
    public init(
        loop: EventLoop,
        interval: Duration = .seconds(25),
        silenceMax: Duration = .seconds(60)
    ) {
        self.loop = loop
        self.interval = interval
        self.silenceMax = silenceMax
    }

    /// Takes a member in; it is visited first when a whole round has gone.
    func add(_ webSocket: WebSocketStream) -> Place {
        let place = Place(bin: Int32(hand), index: Int32(bins[hand].count))
        bins[hand].append(webSocket)
        memberCount += 1
        if !isWound { wind() }
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

    private func wind() {
        isWound = true
        loop.schedule(after: interval / Self.binCount) { [weak self] in self?.visit() }
    }

    private func visit() {
        isWound = false
        hand = (hand + 1) % Self.binCount
        for webSocket in bins[hand] {
            webSocket.visited(silenceMax: silenceMax)
        }
        if memberCount > 0 { wind() }
    }
}
