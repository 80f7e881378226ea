// When a sign-in ends, its connections are closed on every node within a second: the node that
// commits the end notifies the others, and each node also polls the database for changes of access.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// A connection or long response that depends on a sign-in. Lives on the watch's loop.
package protocol SignInHolder: AnyObject {
    /// The sign-in.
    var signedIn: SignedIn { get }
    /// Whether there was a request since the last call.
    func takeUse() -> Bool
    /// Called when the sign-in has ended: nothing more may be delivered.
    func signInEnded(_ code: CloseCode)
}

/// Closes this node's connections whose sign-ins have ended, and ends subscriptions of users who have
/// left conversations.
package final class SignInWatch {
    /// The polling interval. With the time of a poll it stays under a second.
    private static let pause: Duration = .milliseconds(700)
    /// Connections checked in one part, so that other work is not delayed.
    private static let partSize = 50
    /// After this long without a poll, all connections are checked: some records of changes may
    /// have been deleted, such as those of expired sign-ins.
    private static let pollGapMax: Duration = .seconds(30)

    private let loop: EventLoop
    private let store: Store
    private let nodes: NodeLink
    private let lifetime: SessionLifetime
    private var holders: [UserID: [ObjectIdentifier: any SignInHolder]] = [:]
    /// Connections added since the last poll: their sign-ins may have ended since they were
    /// authenticated.
    private var added: [ObjectIdentifier: any SignInHolder] = [:]
    /// The position up to which changes of access were read.
    private var mark: AccessChanges.Mark?
    /// When they were last read.
    private var polledAt: ContinuousClock.Instant?
    /// All users in turn, once a minute: extends the expiry of sign-ins in use, and finds changes
    /// that no notification reported.
    private var round = Round<UserID>(turnCountMax: 85, least: 1)
    private var polling: LoopTask?

    package init(loop: EventLoop, store: Store, nodes: NodeLink, lifetime: SessionLifetime) {
        self.loop = loop
        self.store = store
        self.nodes = nodes
        self.lifetime = lifetime
    }

    // MARK: Life

    /// Starts polling.
    package func start() {
        polling = loop.spawn { [weak self, loop] in
            while let self {
                await self.poll()
                do { try await loop.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// Stops polling.
    package func stop() async {
        polling?.cancel()
        await polling?.wait()
        polling = nil
    }

    // MARK: Connections

    /// Registers a connection, until `remove`.
    package func add(_ holder: any SignInHolder) {
        holders[holder.signedIn.user.id, default: [:]][ObjectIdentifier(holder)] = holder
        added[ObjectIdentifier(holder)] = holder
    }

    /// Unregisters a connection.
    package func remove(_ holder: any SignInHolder) {
        let user = holder.signedIn.user.id
        added[ObjectIdentifier(holder)] = nil
        holders[user]?[ObjectIdentifier(holder)] = nil
        if holders[user]?.isEmpty == true { holders[user] = nil }
    }

    /// Number of a user's connections on this node.
    func holderCount(of user: UserID) -> Int { holders[user]?.count ?? 0 }

    // MARK: Changes

    /// A commit may have ended sign-ins of a user, or taken rights from them. Checks connections of
    /// this node before it returns, and notifies the other nodes.
    package func changed(_ user: UserID) async {
        nodes.bus.send(.account(user))
        await check(connections(of: [user]))
        await nodes.hub.settle()
        await nodes.stopRevoked(of: user)
    }

    /// Handles a notification of another node: sign-ins of a user may have ended, or the user's rights
    /// have changed.
    package func accessChanged(of user: UserID) {
        guard polling != nil else { return }
        loop.spawn { [self] in await check(connections(of: [user])) }
    }

    /// Checks connections whose access may have changed, new ones, and some of the others; all if
    /// there was no poll for too long.
    private func poll() async {
        let begin = loop.now
        let isLate = polledAt.map { begin - $0 > Self.pollGapMax } ?? true
        let changes = try? await store.sessions.accessChanges(since: mark)
        if let changes { nodes.events.catchUp(changes.departures) }
        let came = added
        let changed = connections(of: changes?.users ?? [])
        let others =
            isLate
            ? connections(of: holders.keys)
            : connections(of: round.next { Array(holders.keys) })
        // If the database is unavailable, the next poll repeats this one.
        guard await check(changed + Array(came.values) + others) else { return }
        for id in came.keys { added[id] = nil }
        guard let changes else { return }
        mark = changes.mark
        polledAt = begin
    }

    private func connections(of users: some Sequence<UserID>) -> [any SignInHolder] {
        users.flatMap { holders[$0].map { Array($0.values) } ?? [] }
    }

    /// Closes connections whose sign-ins have ended or changed.
    /// - Returns: false if the database is unavailable.
    @discardableResult
    private func check(_ held: [any SignInHolder]) async -> Bool {
        for part in held.parts(of: Self.partSize) {
            guard let changed = try? await changes(of: part) else { return false }
            guard !changed.isEmpty else { continue }
            for holder in part { end(holder, changed[holder.signedIn.session]) }
        }
        return true
    }

    private func changes(
        of part: ArraySlice<any SignInHolder>
    ) async throws -> [SessionID: SignInChange] {
        let used = part.filter { $0.takeUse() }.map { $0.signedIn.session }
        return try await store.sessions.changedSignIns(
            among: part.map {
                (session: $0.signedIn.session, isAdministrator: $0.isAdministrator)
            },
            used: used,
            lifetime: lifetime
        )
    }

    private func end(_ holder: any SignInHolder, _ change: SignInChange?) {
        switch change {
        case .ended: holder.signInEnded(.sessionEnded)
        case .rights(holder.isAdministrator), nil: break
        case .rights: holder.signInEnded(.rightsChanged)
        }
    }
}

extension SignInHolder {
    /// Whether its user was an administrator of the server when the connection was authenticated.
    fileprivate var isAdministrator: Bool { signedIn.user.isAdmin == true }
}
