// Ends the answers of those who lost the right to ask for them: at once where this node is told of it, and
// within a second where it is not.

import ChatProtocol
import ChatStore
import EventLoop

/// Looks whether those for whom answers wait or grow may still ask for them.
final class RightsKeeper {
    /// How often all of the queue is looked at.
    private static let interval = Duration.seconds(1)

    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    private let dispatcher: RunDispatcher
    private var nextLook: ContinuousClock.Instant
    /// Users whose answers are to be looked at.
    private var due: Set<UserID> = []
    private var isWorking = false

    init(loop: EventLoop, store: Store, hub: ConversationHub, dispatcher: RunDispatcher) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.dispatcher = dispatcher
        nextLook = loop.now
    }

    /// A user may do less than before.
    func changed(of user: UserID) {
        due.insert(user)
        guard !isWorking else { return }
        isWorking = true
        loop.spawn { [self] in
            while let user = due.popFirst() {
                // What fails here, the next look mends.
                if let runs = try? await store.runsWithoutRight(of: user) { await end(runs) }
            }
            isWorking = false
        }
    }

    /// Looks at everybody's, once a second; at a very long queue never more than a twentieth of the
    /// time.
    func look() async {
        let begin = loop.now
        guard begin >= nextLook, let runs = try? await store.runsWithoutRight() else { return }
        await end(runs)
        let span = loop.now - begin
        // A little early, so that a look that comes a moment too soon is not put off by a second.
        nextLook = begin + max(Self.interval - .milliseconds(100), span * 20)
    }

    private func end(_ runs: [RunWithoutRight]) async {
        for run in runs where !dispatcher.stop(run.message, seen: nil) && !run.isLeased {
            // One that another node makes is ended there.
            guard
                let event = try? await store.stopWaiting(run.message, in: run.conversation)
            else { continue }
            dispatcher.forget(run.message)
            hub.publish([event], in: run.conversation)
        }
    }
}
