// Stops the runs of users who lost the right to request them: at once after a notification, and
// within a second without one.

import ChatProtocol
import ChatStore
import EventLoop

/// Finds runs that their users may no longer request, and stops them.
final class RevocationSweeper {
    /// Time between sweeps: with the duration of a sweep, less than a second.
    private static let pause = Duration.milliseconds(700)

    private let loop: EventLoop
    private let store: Store
    private let stopper: RunStopper
    /// Users whose runs must be checked.
    private var due: Set<UserID> = []
    private var isChecking = false
    private var sweeping: LoopTask?

    init(loop: EventLoop, store: Store, stopper: RunStopper) {
        self.loop = loop
        self.store = store
        self.stopper = stopper
    }

    /// Starts the sweeps.
    func start() {
        sweeping = loop.spawn { [weak self, loop] in
            var span = Duration.zero
            while true {
                // With a very long queue, sweeps use at most a twentieth of the time.
                do { try await loop.sleep(for: max(Self.pause, span * 20)) } catch { return }
                guard let self else { return }
                let begin = loop.now
                await stopRevoked()
                span = loop.now - begin
            }
        }
    }

    /// Stops the sweeps.
    func stop() async {
        sweeping?.cancel()
        await sweeping?.wait()
    }

    /// Notes that a user's rights may have been reduced.
    func changed(_ user: UserID) {
        due.insert(user)
        guard !isChecking else { return }
        isChecking = true
        loop.spawn { [self] in
            while let user = due.popFirst() { await stopRevoked(of: user) }
            isChecking = false
        }
    }

    /// Stops the runs that their users may no longer request.
    /// - Parameter user: the user; nil for all.
    func stopRevoked(of user: UserID? = nil) async {
        // If a stop fails, the next sweep repeats it.
        guard let runs = try? await store.queue.revokedRuns(of: user) else { return }
        for run in runs {
            try? await stopper.stop(run.message, in: run.conversation, for: .revoked)
        }
    }
}
