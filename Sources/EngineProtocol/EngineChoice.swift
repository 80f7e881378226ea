// Which engine of a model gets a request: the one that has the conversation's prompt in its cache,
// or else the one with the least load. A value.

/// Remembers which engine read which conversation last, and chooses.
public struct EngineChoice: Sendable {
    /// An engine that may get the request.
    public struct Candidate: Sendable, Hashable {
        /// Its position in the settings.
        public var index: Int
        /// Its running answers.
        public var running: Int
        /// How many it may run.
        public var slots: Int
        /// Requests of other clients there, as its metrics tell.
        public var foreign: Int

        /// Creates a candidate.
        public init(index: Int, running: Int, slots: Int, foreign: Int = 0) {
            self.index = index
            self.running = running
            self.slots = slots
            self.foreign = foreign
        }

        fileprivate var isFull: Bool { running >= slots }

        /// Whether a request would wait there for those of other clients.
        fileprivate var isCrowded: Bool { running + foreign >= slots }

        /// Whether its load is less than another's; of equal ones, the first is chosen.
        fileprivate func isLessLoaded(than other: Candidate) -> Bool {
            let own = (running + foreign) * other.slots
            let its = (other.running + other.foreign) * slots
            return own == its ? index < other.index : own < its
        }
    }

    private let scopesMax: Int
    private var latest: [String: (index: Int, use: UInt64)] = [:]
    private var useCount: UInt64 = 0

    /// - Parameter scopesMax: maximum number of conversations that it remembers.
    public init(scopesMax: Int = 10_000) {
        self.scopesMax = scopesMax
    }

    /// The engine for a request of `scope`; nil if all candidates are full.
    public func choose(for scope: String?, from candidates: [Candidate]) -> Int? {
        let free = candidates.filter { !$0.isFull }
        if let warm = scope.flatMap({ latest[$0]?.index }),
            free.contains(where: { $0.index == warm && !$0.isCrowded })
        {
            return warm
        }
        return free.min { $0.isLessLoaded(than: $1) }?.index
    }

    /// Notes that an engine reads the prompt of a scope.
    public mutating func note(_ scope: String?, at index: Int) {
        guard let scope else { return }
        useCount += 1
        latest[scope] = (index, useCount)
        guard latest.count > scopesMax else { return }
        // The older half at once, so that this is rare.
        let median = latest.values.map(\.use).sorted()[latest.count / 2]
        latest = latest.filter { $0.value.use >= median }
    }

    /// Forgets scopes.
    public mutating func forget(_ scopes: [String]) {
        for scope in scopes { latest[scope] = nil }
    }

    /// Number of conversations that it remembers.
    public var scopeCount: Int { latest.count }
}
