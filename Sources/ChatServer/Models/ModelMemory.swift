// The memory of the models that run here, under one limit. A value: which models are loaded, who
// needs another one, and the time go in; what to unload comes out. The pool loads and unloads.

package import Inference

/// Which models are in memory, what they take of the limit, and which leave first.
package struct ModelMemory {
    /// What loading a model needs.
    package enum Placement: Sendable, Hashable {
        /// There is room.
        case fits
        /// There is room once these models have left.
        case needs(leaving: [String])
        /// There is no room until others are idle, or have left.
        case waits
        /// It takes more than the limit.
        case exceedsLimit
    }

    private struct Resident {
        var byteCount: Int
        /// What of it is for keys and values.
        var cacheByteCount: Int
        var loadedAt: ContinuousClock.Instant
        /// When an answer last used it, in order.
        var lastUse: Int
        /// Whether it leaves once its answers have ended.
        var isLeaving = false
    }

    /// How long a model that is used may make another one wait for its memory, and how long it stays
    /// at least: models that do not fit together, and are both used, change places this often.
    package static let turn = Duration.seconds(10)

    /// The limit, in bytes.
    package var limitBytes: Int
    /// Memory for a model's keys and values, in MiB, if the limit leaves as much.
    private let cacheMebibytes: Int
    private var footprints: [String: ModelFootprint] = [:]
    private var residents: [String: Resident] = [:]
    private var useCount = 0
    /// How often each model was loaded.
    package private(set) var loadCounts: [String: Int] = [:]

    /// - Parameters:
    ///   - limitBytes: the memory of all models together, in bytes.
    ///   - cacheMebibytes: memory for a model's keys and values, in MiB.
    package init(limitBytes: Int, cacheMebibytes: Int) {
        self.limitBytes = limitBytes
        self.cacheMebibytes = cacheMebibytes
    }

    /// What a model takes at least; nil before it was measured.
    package func footprint(of name: String) -> ModelFootprint? { footprints[name] }

    /// Notes what a model takes.
    package mutating func measured(_ name: String, _ footprint: ModelFootprint) {
        footprints[name] = footprint
    }

    /// What the models in memory take of the limit, in bytes, in no particular order.
    package var taken: [(name: String, byteCount: Int)] {
        residents.map { ($0.key, $0.value.byteCount) }
    }

    /// What all of them take, in bytes.
    package var takenBytes: Int { residents.values.reduce(0) { $0 + $1.byteCount } }

    // MARK: Loading

    /// What loading a model needs.
    /// - Parameters:
    ///   - name: a model that was measured.
    ///   - used: the models that answer, or for which runs are queued: they leave only if the model
    ///     has waited for a turn.
    ///   - waited: how long a run has waited for the model; nil if none does: no other model leaves.
    ///   - now: the time.
    /// - Returns: what has to happen first.
    package func placement(
        of name: String,
        used: Set<String>,
        waited: Duration?,
        at now: ContinuousClock.Instant
    ) -> Placement {
        guard let needed = footprints[name]?.byteCountMin else { return .waits }
        guard needed <= limitBytes else { return .exceedsLimit }
        var missing = needed - (limitBytes - takenBytes)
        guard missing > 0 else { return .fits }
        guard let waited else { return .waits }
        missing -= residents.values.reduce(0) { $0 + ($1.isLeaving ? $1.byteCount : 0) }
        let staying = residents.filter { !$0.value.isLeaving }
            .sorted { $0.value.lastUse < $1.value.lastUse }
        let idle = staying.filter { !used.contains($0.key) }
        let busy = staying.filter { entry in
            used.contains(entry.key) && waited >= Self.turn
                && now - entry.value.loadedAt >= Self.turn
        }
        var leaving: [String] = []
        for (other, resident) in idle + busy where missing > 0 {
            leaving.append(other)
            missing -= resident.byteCount
        }
        return missing > 0 || leaving.isEmpty ? .waits : .needs(leaving: leaving)
    }

    /// Takes a model's memory, for which there is room.
    ///
    /// Its keys and values get what the setting says, or else an equal share of what the limit leaves
    /// to this model and to the others that fit beside it.
    /// - Parameters:
    ///   - name: a model that was measured.
    ///   - others: models that may be loaded, too.
    ///   - now: the time.
    package mutating func take(
        _ name: String,
        beside others: Set<String>,
        at now: ContinuousClock.Instant
    ) {
        guard let footprint = footprints[name] else { return }
        residents[name] = nil
        let coming = others.filter { $0 != name && residents[$0] == nil }
            .compactMap { footprints[$0]?.byteCountMin }.sorted()
        var left = max(limitBytes - takenBytes - footprint.byteCountMin, 0)
        var count = 1
        for byteCount in coming where byteCount <= left {
            left -= byteCount
            count += 1
        }
        let more = left / count
        let fixed = footprint.weightBytes + footprint.bufferBytes
        let least = footprint.cacheBytesMin
        // Compared before it is added: without a limit it is as large as a number can be.
        let most = max(cacheMebibytes << 20, least)
        let cache = more < most - least ? least + more : most
        useCount += 1
        loadCounts[name, default: 0] += 1
        residents[name] = Resident(
            byteCount: fixed + cache,
            cacheByteCount: cache,
            loadedAt: now,
            lastUse: useCount
        )
    }

    /// The memory for the keys and values of a model in memory, in MiB.
    package func cacheMebibytes(of name: String) -> Int {
        residents[name].map { max(1, $0.cacheByteCount >> 20) } ?? cacheMebibytes
    }

    /// The idle models that must leave because the limit was lowered, the least recently used first.
    package func excess(used: Set<String>) -> [String] {
        var excess = takenBytes - limitBytes
        excess -= residents.values.reduce(0) { $0 + ($1.isLeaving ? $1.byteCount : 0) }
        var leaving: [String] = []
        let idle = residents.filter { !$0.value.isLeaving && !used.contains($0.key) }
        for (name, resident) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse })
        where excess > 0 {
            leaving.append(name)
            excess -= resident.byteCount
        }
        return leaving
    }

    /// Notes that an answer uses a model.
    package mutating func use(_ name: String) {
        useCount += 1
        residents[name]?.lastUse = useCount
    }

    /// Notes that a model leaves once its answers have ended, or stays after all.
    package mutating func setLeaving(_ name: String, _ isLeaving: Bool) {
        residents[name]?.isLeaving = isLeaving
    }

    /// Notes that a model is not in memory any more.
    package mutating func release(_ name: String) { residents[name] = nil }
}
