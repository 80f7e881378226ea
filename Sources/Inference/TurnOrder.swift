// Whose turn it is on the shared compute threads: the order of turns, without threads or a clock.
//
// Start-time fair queueing (Goyal, Vin and Cheng, 1996) with equal weights: a member's time grows
// with the time of its turns, and the waiting member with the least time is next. So members that
// always have work get equal time, however long their turns are: one with passes of 1 ms has a
// hundred of them for one of 100 ms. A member that comes back after it had nothing to do begins with
// the time at which the latest turn began, so that a pause earns nothing.

/// The members of shared compute threads, and which of them has the turn.
package struct TurnOrder {
    private struct Member {
        /// The time that decides: that of its turns, and what it was set forward after pauses.
        var time: Duration
        /// The time of its turns.
        var total: Duration = .zero
        /// The number of the request that waits for a turn; nil if none does.
        var request: Int?
    }

    private var members: [Int: Member] = [:]
    private var nextMember = 0
    private var nextRequest = 0
    /// The time of the member that has the latest turn, when the turn began.
    private var latest: Duration = .zero
    /// The member that has the turn; nil if none wants it.
    package private(set) var holder: Int?

    /// An order without members.
    package init() {}

    /// Adds a member.
    /// - Returns: its number.
    package mutating func add() -> Int {
        nextMember += 1
        members[nextMember] = Member(time: latest)
        return nextMember
    }

    /// Removes a member, whose turn has ended.
    package mutating func remove(_ member: Int) {
        members[member] = nil
        if holder == member { holder = nil }
        grant()
    }

    /// The time of all turns of a member.
    package func total(of member: Int) -> Duration { members[member]?.total ?? .zero }

    /// Requests a turn for a member; does nothing if it waits for one, or has it.
    package mutating func request(_ member: Int) {
        guard holder != member, let known = members[member], known.request == nil else { return }
        // It comes back from a pause.
        members[member]?.time = max(known.time, latest)
        wait(member)
        grant()
    }

    /// Ends the turn of a member, which wants another one.
    /// - Parameters:
    ///   - member: the member that has the turn; others are ignored.
    ///   - duration: how long it had it.
    package mutating func end(_ member: Int, after duration: Duration) {
        guard holder == member else { return }
        release(member, after: duration)
        wait(member)
        grant()
    }

    /// Ends the turn of a member, or its request for one: it has nothing to do.
    package mutating func rest(_ member: Int, after duration: Duration) {
        members[member]?.request = nil
        guard holder == member else { return }
        release(member, after: duration)
        grant()
    }

    private mutating func release(_ member: Int, after duration: Duration) {
        holder = nil
        members[member]?.time += duration
        members[member]?.total += duration
    }

    private mutating func wait(_ member: Int) {
        nextRequest += 1
        members[member]?.request = nextRequest
    }

    /// Gives the turn to the waiting member with the least time, of several to the one that waits
    /// longest.
    private mutating func grant() {
        guard holder == nil else { return }
        let waiting = members.compactMap { id, member in
            member.request.map { (time: member.time, request: $0, id: id) }
        }
        let next = waiting.min { ($0.time, $0.request) < ($1.time, $1.request) }
        guard let next else { return }
        holder = next.id
        latest = max(latest, next.time)
        members[next.id]?.request = nil
    }
}
