// Fetching a model: ask for the list, look what is missing and whether it fits, fetch it, then show it.
// Nothing becomes visible before all of it is there and checked, and nothing that was checked is fetched
// again, whenever a pull ends.

public import EventLoop
import HTTPProtocol
import Networking

/// Fetches models into the cache. Lives on its loop.
///
/// A pull is cancelled with the task that runs it; what has arrived is kept for the next one.
public final class ModelPull {
    let configuration: HubConfiguration
    let loop: EventLoop
    let disk: HubDisk
    let client: HubClient
    let meter: PullMeter
    let retrier: Retrier

    /// A pull that tells how far it is.
    /// - Parameters:
    ///   - loop: where it lives.
    ///   - configuration: where the hub and the cache are.
    ///   - progress: told on the loop, some ten times a second at most.
    /// - Throws: where the system has no more threads.
    public init(
        loop: EventLoop,
        configuration: HubConfiguration,
        progress: @escaping (PullProgress) -> Void = { _ in }
    ) throws(HubError) {
        self.loop = loop
        self.configuration = configuration
        let pool: WorkerPool
        do throws(SystemError) {
            // Writing and digesting side by side, and one for names that take long to be found.
            pool = try WorkerPool(name: "hub", threads: 3, queueLimit: 256)
        } catch {
            throw .disk(error)
        }
        disk = HubDisk(pool: pool)
        let meter = PullMeter(loop, progress)
        self.meter = meter
        retrier = Retrier(loop, configuration.retry) { delay, error in
            meter.enter(.waiting(delay, reason: "\(error)"))
        }
        client = HubClient(
            loop: loop,
            configuration: configuration,
            pool: pool,
            retrier: retrier
        )
    }

    /// Fetches `name` at `revision`, a branch, tag or commit.
    ///
    /// A commit that is in the cache is not asked for. Where the hub cannot be reached, what the
    /// cache holds under the revision's name is taken.
    /// - Returns: the snapshot's folder.
    /// - Throws: why it is not there.
    public func run(
        _ name: ModelName,
        revision: String = "main"
    ) async throws(HubError) -> String {
        defer { client.close() }
        let revision = try Revision(revision)
        let folder = ModelFolder(name: name, cache: configuration.cacheFolder)
        let cached = try await cached(revision, in: folder)
        if configuration.isOffline {
            guard cached.missing.isEmpty else {
                throw .offline(name, missing: cached.missing.joined(separator: ", "))
            }
            return cached.path
        }
        if revision.isCommit, cached.missing.isEmpty { return cached.path }
        do throws(HubError) {
            return try await fetch(try await list(name, revision), revision, in: folder)
        } catch {
            guard error.isTransient, cached.missing.isEmpty else { throw error }
            meter.note("taken from the cache as it is, for \(error)")
            return cached.path
        }
    }

    /// What a pull of `name` at `revision` would do.
    /// - Returns: its size, and how much of it is missing.
    public func plan(
        _ name: ModelName,
        revision: String = "main"
    ) async throws(HubError) -> PullPlan {
        defer { client.close() }
        let folder = ModelFolder(name: name, cache: configuration.cacheFolder)
        let listing = try await list(name, try Revision(revision))
        return try await disk.run { PullPlan(listing, in: folder) }
    }

    private func list(
        _ name: ModelName,
        _ revision: Revision
    ) async throws(HubError) -> RepositoryListing {
        meter.enter(.listing)
        let commit = try await client.commit(name, revision)
        return try await client.listing(name, commit)
    }

    private func fetch(
        _ listing: RepositoryListing,
        _ revision: Revision,
        in folder: ModelFolder
    ) async throws(HubError) -> String {
        if try await disk.run({ folder.holds(listing, as: revision) }) {
            meter.enter(.done)
            return folder.snapshot(listing.commit)
        }
        let plan = try await disk.run { () throws(SystemError) in
            try folder.make()
            try folder.sweep()
            try StoredListing.write(listing, in: folder)
            // A pull that was killed right after it had named a file left the journal.
            for file in listing.files where folder.has(file) { folder.removePartial(file.digest) }
            return PullPlan(listing, in: folder)
        }
        try checkSpace(plan)
        meter.begin(
            bytesDone: plan.totalBytes - plan.missing.reduce(0) { $0 + $1.byteCount },
            bytesTotal: plan.totalBytes
        )
        try await PieceFetcher(self, folder, listing.commit).fetch(plan.missing)
        try await disk.run { () throws(SystemError) in
            try folder.publish(listing, revision: revision)
        }
        meter.enter(.done)
        return folder.snapshot(listing.commit)
    }

    /// - Throws: `tooLittleSpace`, before the first byte is fetched.
    private func checkSpace(_ plan: PullPlan) throws(HubError) {
        let folder = configuration.cacheFolder
        guard let free = configuration.freeBytes(folder), plan.missingBytes > free else { return }
        throw .tooLittleSpace(folder: folder, neededBytes: plan.missingBytes, freeBytes: free)
    }

    /// What the cache holds under the name `revision`.
    private func cached(
        _ revision: Revision,
        in folder: ModelFolder
    ) async throws(HubError) -> (path: String, missing: [String]) {
        let cache = ModelCache(configuration)
        return try await disk.run {
            guard let commit = folder.commit(revision) else { return ("", ["the model"]) }
            return (folder.snapshot(commit), cache.missing(commit, in: folder))
        }
    }
}
