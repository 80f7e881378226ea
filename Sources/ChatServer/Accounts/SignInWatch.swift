// What ends a sign-in ends its connections, wherever they are, within a second: whoever commits such an
// end wakes the nodes, and each node looks at the sign-ins of its connections once in a while besides.

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

/// Ends the connections of this node whose sign-ins have ended, and the answers that wait or grow for
/// somebody who has lost the right to them.
package final class SignInWatch {
    /// How long until the next look. With the time that a look takes it stays under a second.
    private static let pause: Duration = .milliseconds(700)
    /// So many connections are looked at in one go, that others do not wait for a crowd's look.
    private static let partSize = 100

    private let loop: EventLoop
    private let store: Store
    private let nodes: NodeLink
    private let lifetime: SessionLifetime
    private var holders: [ObjectIdentifier: any SignInHolder] = [:]
    private var counts: [UserID: Int] = [:]
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
            loop.spawn { await self.look(at: user) }
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
        guard holders.updateValue(holder, forKey: ObjectIdentifier(holder)) == nil else { return }
        counts[holder.signedIn.user.id, default: 0] += 1
    }

    /// Nothing is delivered any more.
    package func remove(_ holder: any SignInHolder) {
        guard holders.removeValue(forKey: ObjectIdentifier(holder)) != nil else { return }
        let user = holder.signedIn.user.id
        let left = (counts[user] ?? 1) - 1
        counts[user] = left > 0 ? left : nil
    }

    /// How many connections of a user's there are on this node.
    func holderCount(of user: UserID) -> Int { counts[user] ?? 0 }

    // MARK: News

    /// Something was committed that may end sign-ins of a user, or take rights from them. Connections
    /// here are looked at before this returns; other nodes are woken.
    package func changed(_ user: UserID) async {
        nodes.bus.send(.account(user))
        await look(at: user)
        await nodes.hub.settle()
        await nodes.endAnswersWithoutRight(of: user)
    }

    private func look() async {
        await look(at: nil)
        await nodes.endAnswersWithoutRight()
    }

    private func look(at user: UserID?) async {
        let held =
            user.map { user in holders.values.filter { $0.signedIn.user.id == user } }
            ?? Array(holders.values)
        for part in held.parts(of: Self.partSize) {
            // Where the database is away, nothing can be asked, and the next look finds out.
            guard let changed = try? await changes(of: part) else { return }
            guard !changed.isEmpty else { continue }
            for holder in part { end(holder, changed[holder.signedIn.session]) }
        }
    }

    private func changes(
        of part: ArraySlice<any SignInHolder>
    ) async throws -> [SessionID: SignInChange] {
        let used = part.filter { $0.takeUse() }.map { $0.signedIn.session }
        return try await store.changedSignIns(
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
