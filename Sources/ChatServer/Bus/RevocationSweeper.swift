// Ends the runs of those who lost the right to ask for them: at once where this node is notified, and within
// a second where it is not.

import ChatProtocol
import ChatStore
import EventLoop

/// Finds runs whose users may not ask for them any more, and stops them.
final class RevocationSweeper {
    /// How long until the next sweep. With the time that a sweep takes it stays under a second.
    private static let pause = Duration.milliseconds(700)

    private let loop: EventLoop
    private let store: Store
    private let stopper: RunStopper
    /// Users whose runs are to be checked.
    private var due: Set<UserID> = []
    private var isChecking = false
    private var sweeping: LoopTask?

    init(loop: EventLoop, store: Store, stopper: RunStopper) {
        self.loop = loop
        self.store = store
        self.stopper = stopper
    }

    /// Begins to sweep.
    func start() {
        sweeping = loop.spawn { [weak self, loop] in
            var span = Duration.zero
            while true {
                // At a very long queue never more than a twentieth of the time.
                do { try await loop.sleep(for: max(Self.pause, span * 20)) } catch { return }
                guard let self else { return }
                let begin = loop.now
                await stopRevoked()
                span = loop.now - begin
            }
        }
    }

    /// Ends the sweeping.
    func stop() async {
        sweeping?.cancel()
        await sweeping?.wait()
    }

    /// A user may do less than before.
    func changed(_ user: UserID) {
        due.insert(user)
        guard !isChecking else { return }
        isChecking = true
        loop.spawn { [self] in
            while let user = due.popFirst() { await stopRevoked(of: user) }
            isChecking = false
        }
    }

    /// Stops the runs whose users may not ask for them any more.
    /// - Parameter user: whose; nil for everybody's.
    func stopRevoked(of user: UserID? = nil) async {
        // What fails here, the next sweep repeats.
        guard let runs = try? await store.revokedRuns(of: user) else { return }
        for run in runs {
            try? await stopper.stop(run.message, in: run.conversation, for: .revoked)
        }
    }
}
