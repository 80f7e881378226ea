// Working memory between generations: a generation that finds some need not ask the system for it,
// nor start threads.

import Foundation
package import PhiModel
import Synchronization

/// Sessions that finished generations have left, up to a limit of bytes for the whole process.
package final class SessionPool: Sendable {
    package static let shared = SessionPool()

    /// Safety: a session is in the pool or with one generation, never both.
    private struct Idle: @unchecked Sendable {
        let session: PhiSession
    }

    private struct State {
        var limit = 256 << 20
        /// Oldest first.
        var idle: [Idle] = []

        var byteCount: Int { idle.reduce(0) { $0 + $1.session.byteCount } }

        mutating func shrink() {
            while byteCount > limit { idle.removeFirst() }
        }
    }

    private let state = Mutex(State())

    /// An empty pool.
    package init() {}

    /// The most bytes that are kept.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set {
            state.withLock { state in
                state.limit = max(newValue, 0)
                state.shrink()
            }
        }
    }

    /// The bytes that are kept at this instant.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// A session for one generation, kept or new. All cores share its passes: the caller waits.
    package func take(_ model: PhiModel, tokenCountMax: Int) -> PhiSession {
        let kept = state.withLock { state -> Idle? in
            let index = state.idle.lastIndex {
                $0.session.model === model && $0.session.tokenCountMax == tokenCountMax
            }
            return index.map { state.idle.remove(at: $0) }
        }
        if let kept { return kept.session }
        return model.makeSession(
            threadCount: max(ProcessInfo.processInfo.activeProcessorCount, 1),
            tokenCountMax: tokenCountMax
        )
    }

    /// Keeps a session for the next generation, as far as the limit allows.
    package func give(back session: PhiSession) {
        let session = Idle(session: session)
        state.withLock { state in
            state.idle.append(session)
            state.shrink()
        }
    }

    /// Lets all sessions of `model` go.
    package func removeAll(of model: PhiModel) {
        state.withLock { $0.idle.removeAll { $0.session.model === model } }
    }

    /// Lets all sessions go.
    package func removeAll() {
        state.withLock { $0.idle.removeAll() }
    }
}
