// Fetches a model: requests the list, finds what is missing, checks free space, fetches, then publishes.
// Nothing becomes visible before all of it is verified, and no verified piece is fetched again, however a
// pull ends.

public import EventLoop
import HTTPProtocol
import Networking

/// Fetches models into the cache. Used on its event loop.
///
/// Cancelling the task that runs a pull cancels it; the next pull resumes.
public final class ModelPull {
    let configuration: HubConfiguration
    let loop: EventLoop
    let disk: HubDisk
    let client: HubClient
    let meter: PullMeter
    let retrier: Retrier

    /// A pull that reports progress.
    /// - Parameters:
    ///   - loop: the event loop to run on.
    ///   - configuration: where the hub and the cache are.
    ///   - progress: called on the loop, at most about ten times a second.
    /// - Throws: if the system cannot create threads.
    public init(
        loop: EventLoop,
        configuration: HubConfiguration,
        progress: @escaping (PullProgress) -> Void = { _ in }
    ) throws(HubError) {
        self.loop = loop
        self.configuration = configuration
        let pool: WorkerPool
        do throws(SystemError) {
            // One thread each for writing, for digests, and for slow name resolution.
            pool = try WorkerPool(name: "hub", threads: 3, queueLimit: 256)
        } catch {
            throw .disk(error)
        }
        disk = HubDisk(pool: pool)
        let meter = PullMeter(loop, progress)
        self.meter = meter
        retrier = Retrier(loop, configuration.retry) { delay, error in
            meter.enter(.waiting(delay, reason: .retry(after: error)))
        }
        client = HubClient(
            loop: loop,
            configuration: configuration,
            pool: pool,
            retrier: retrier
        )
    }

    /// Fetches `name` at `revision`, a branch, tag or commit.
    /// - Returns: the snapshot's folder.
    /// - Throws: why the model is not available.
    public func run(
        _ name: ModelName,
        revision: String = "main"
    ) async throws(HubError) -> String {
        try await run(PullTarget(name), revision: revision)
    }

    /// Fetches a model's folder or GGUF file at `revision`, a branch, tag or commit.
    ///
    /// A commit that the cache holds needs no request. If the hub cannot be reached, the pull
    /// returns what the cache holds for the revision.
    /// - Returns: the snapshot's folder, or the file in it.
    /// - Throws: why the model is not available.
    public func run(
        _ target: PullTarget,
        revision: String = "main"
    ) async throws(HubError) -> String {
        defer { client.close() }
        let revision = try Revision(revision)
        let folder = ModelFolder(name: target.name, cache: configuration.cacheFolder)
        let cache = ModelCache(configuration)
        let cached = try await disk.run { cache.lookUp(target, revision) }
        if configuration.isOffline {
            guard cached.missing.isEmpty else {
                throw .offline(target.name, missing: cached.missing.joined(separator: ", "))
            }
            return cached.path
        }
        if revision.isCommit, cached.missing.isEmpty { return cached.path }
        do throws(HubError) {
            let listing = try await list(target, revision)
            let path = try await fetch(listing, revision, in: folder)
            return target.gguf == nil ? path : listing.files.map { "\(path)/\($0.path)" }[0]
        } catch {
            guard error.isTransient, cached.missing.isEmpty else { throw error }
            meter.note("using the cached model: \(error)")
            return cached.path
        }
    }

    /// What a pull of `target` at `revision` would fetch.
    /// - Returns: the model's size, and how much of it is missing.
    public func plan(
        _ target: PullTarget,
        revision: String = "main"
    ) async throws(HubError) -> PullPlan {
        defer { client.close() }
        let folder = ModelFolder(name: target.name, cache: configuration.cacheFolder)
        let listing = try await list(target, try Revision(revision))
        return try await disk.run { PullPlan(listing, in: folder) }
    }

    func list(
        _ target: PullTarget,
        _ revision: Revision
    ) async throws(HubError) -> RepositoryListing {
        meter.enter(.listing)
        let commit = try await client.commit(target.name, revision)
        return try await client.listing(target, commit)
    }

    private func fetch(
        _ wanted: RepositoryListing,
        _ revision: Revision,
        in folder: ModelFolder
    ) async throws(HubError) -> String {
        // What is there of the commit stays in its list: other GGUF files, or the folder's.
        let listing = try await disk.run {
            let stored = StoredListing.read(wanted.commit, in: folder)?.files ?? []
            let kept = stored.filter { file in
                folder.has(file) && !wanted.files.contains { $0.path == file.path }
            }
            return RepositoryListing(commit: wanted.commit, files: wanted.files + kept)
        }
        if try await disk.run({ folder.holds(listing, as: revision) }) {
            meter.enter(.done)
            return folder.snapshot(listing.commit)
        }
        let plan = try await disk.run { () throws(SystemError) in
            try folder.make()
            try folder.sweep()
            try StoredListing.write(listing, in: folder)
            // A pull that was killed right after renaming a file left its journal.
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
}
