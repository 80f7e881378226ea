// Reuses working memory between generations, so that a generation need not allocate memory or start
// threads.

import Foundation
package import PhiModel
import Synchronization

/// Idle sessions of finished generations, up to a limit of bytes for the whole process.
package final class SessionPool: Sendable {
    package static let shared = SessionPool()

    /// Safety: a session is either in the pool or in use by one generation.
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

    /// Maximum bytes to keep.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set {
            state.withLock { state in
                state.limit = max(newValue, 0)
                state.shrink()
            }
        }
    }

    /// The bytes in the pool now.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// A session for one generation, reused or new. Its passes use all cores, because the caller
    /// waits.
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

    /// Returns a session to the pool, within the limit.
    package func give(back session: PhiSession) {
        let session = Idle(session: session)
        state.withLock { state in
            state.idle.append(session)
            state.shrink()
        }
    }

    /// Frees all sessions of `model`.
    package func removeAll(of model: PhiModel) {
        state.withLock { $0.idle.removeAll { $0.session.model === model } }
    }

    /// Frees all sessions.
    package func removeAll() {
        state.withLock { $0.idle.removeAll() }
    }
}
