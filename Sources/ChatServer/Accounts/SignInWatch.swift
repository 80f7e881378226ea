// What ends a sign-in ends its connections, wherever they are, within a second: whoever commits such an
// end wakes the nodes, and each node asks the database besides what took access away since it asked last.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// A connection, or a response that takes long, as the watch sees it. Lives on the watch's loop.
package protocol SignInHolder: AnyObject {
    /// By what it was let in.
    var signedIn: SignedIn { get }
    /// Whether something was asked since this was called last.
    func takeUse() -> Bool
    /// It must deliver nothing more.
    func signInEnded(_ code: CloseCode)
}

/// Ends the connections of this node whose sign-ins have ended, the watches of those who are out of their
/// conversations, and the answers that wait or grow for somebody who has lost the right to them.
package final class SignInWatch {
    /// How long until the next look. With the time that a look takes it stays under a second.
    private static let pause: Duration = .milliseconds(700)
    /// So many connections are looked at in one go, that others do not wait for a crowd's look.
    private static let partSize = 50
    /// After so long without a look, all are looked at: of what took access away, something may be
    /// deleted by now, as sign-ins are that have ended by themselves.
    private static let absenceMax: Duration = .seconds(30)

    private let loop: EventLoop
    private let store: Store
    private let nodes: NodeLink
    private let lifetime: SessionLifetime
    private var holders: [UserID: [ObjectIdentifier: any SignInHolder]] = [:]
    /// Those who came since the last look: their sign-ins may have ended since they were let in.
    private var arrived: [ObjectIdentifier: any SignInHolder] = [:]
    /// Up to where the database was asked what took access away.
    private var mark: AccessChanges.Mark?
    /// When that was.
    private var askedAt: ContinuousClock.Instant?
    /// All users in turn, once a minute: it puts off the ends of sign-ins that are used, and finds what
    /// nothing told of.
    private var round = Round<UserID>(turnCountMax: 85, least: 1)
    private var looking: LoopTask?

    package init(loop: EventLoop, store: Store, nodes: NodeLink, lifetime: SessionLifetime) {
        self.loop = loop
        self.store = store
        self.nodes = nodes
        self.lifetime = lifetime
    }

    // MARK: Life

    /// Begins to hear of other nodes' news, and to look.
    package func start() {
        nodes.accountChanged = { [weak self] user in
            guard let self else { return }
            loop.spawn { await self.look(at: self.connections(of: [user])) }
        }
        looking = loop.spawn { [weak self, loop] in
            while let self {
                await self.look()
                do { try await loop.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// Ends the looking.
    package func stop() async {
        nodes.accountChanged = nil
        looking?.cancel()
        await looking?.wait()
        looking = nil
    }

    // MARK: Connections

    /// Something is delivered to a sign-in from now on. Held until `remove`.
    package func add(_ holder: any SignInHolder) {
        holders[holder.signedIn.user.id, default: [:]][ObjectIdentifier(holder)] = holder
        arrived[ObjectIdentifier(holder)] = holder
    }

    /// Nothing is delivered any more.
    package func remove(_ holder: any SignInHolder) {
        let user = holder.signedIn.user.id
        arrived[ObjectIdentifier(holder)] = nil
        holders[user]?[ObjectIdentifier(holder)] = nil
        if holders[user]?.isEmpty == true { holders[user] = nil }
    }

    /// How many connections of a user's there are on this node.
    func holderCount(of user: UserID) -> Int { holders[user]?.count ?? 0 }

    // MARK: News

    /// Something was committed that may end sign-ins of a user, or take rights from them. Connections
    /// here are looked at before this returns; other nodes are woken.
    package func changed(_ user: UserID) async {
        nodes.bus.send(.account(user))
        await look(at: connections(of: [user]))
        await nodes.hub.settle()
        await nodes.endAnswersWithoutRight(of: user)
    }

    private func look() async {
        await lookAtChanges()
        await nodes.endAnswersWithoutRight()
    }

    /// Looks at those whose access may have changed, at those who came, and at some of the others; at all
    /// where nobody could say for long whose access has changed.
    private func lookAtChanges() async {
        let begin = loop.now
        let isLate = askedAt.map { begin - $0 > Self.absenceMax } ?? true
        let changes = try? await store.sessions.accessChanges(since: mark)
        if let changes { nodes.events.catchUp(changes.departures) }
        let came = arrived
        let changed = connections(of: changes?.users ?? [])
        let others =
            isLate
            ? connections(of: holders.keys)
            : connections(of: round.next { Array(holders.keys) })
        // Where the database is away, the next look begins where this one did.
        guard await look(at: changed + Array(came.values) + others) else { return }
        for id in came.keys { arrived[id] = nil }
        guard let changes else { return }
        mark = changes.mark
        askedAt = begin
    }

    private func connections(of users: some Sequence<UserID>) -> [any SignInHolder] {
        users.flatMap { holders[$0].map { Array($0.values) } ?? [] }
    }

    /// Ends those whose sign-ins are not what they were.
    /// - Returns: false where the database is away.
    @discardableResult
    private func look(at held: [any SignInHolder]) async -> Bool {
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
    /// Whether its user administered the server when it was let in.
    fileprivate var isAdministrator: Bool { signedIn.user.isAdmin == true }
}
