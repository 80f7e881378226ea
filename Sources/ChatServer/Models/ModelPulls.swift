// Models that administrators have the server download: one at a time, recorded in the database, so
// that a restarted server resumes the download, and offers downloaded models at each start.

import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop
package import Logging
import Postgres

/// Downloads models, and passes them to the pool.
package final class ModelPulls {
    private let store: Store
    private let pool: EnginePool
    private let source: any ModelSource & Sendable
    private let workers: WorkerPool
    private let loop: EventLoop
    private let logger: Logger
    /// The model that is being downloaded, or that a request is about to download.
    private var current: Current?
    /// Set while the server shuts down: the next start resumes the current download.
    private var isStopping = false
    /// Whether the hub is being asked what a model needs.
    private var isEstimating = false
    /// Models that were requested by a pull: one that failed can be dismissed.
    private var requested: Set<String> = []

    private struct Current {
        let name: String
        var fetch: (any RunningFetch)?
    }

    /// - Parameters:
    ///   - pool: receives downloaded models.
    ///   - source: provides models.
    ///   - store: records downloads.
    ///   - workers: threads that may wait for the disk.
    ///   - loop: the loop on which this object lives.
    ///   - logger: logs the results.
    package init(
        pool: EnginePool,
        source: any ModelSource & Sendable,
        store: Store,
        workers: WorkerPool,
        loop: EventLoop,
        logger: Logger
    ) {
        self.pool = pool
        self.source = source
        self.store = store
        self.workers = workers
        self.loop = loop
        self.logger = logger
    }

    /// Short names of supported models.
    var shortNames: [String] { source.shortNames }

    // MARK: Startup

    /// Offers the models that were downloaded before, loads those that administrators have not
    /// unloaded, and resumes an unfinished download if this server may download.
    package func resume(mayFetch: Bool) async throws {
        for model in try await store.models.list() where pool.board[model.name] == nil {
            requested.insert(model.name)
            if model.isFetched {
                let source = source
                let folder = try await workers.run {
                    source.folder(of: model.name, revision: model.revision)
                }
                if let folder {
                    pool.register(model.name, in: folder)
                } else {
                    pool.update(model.name, to: .failed(reason: .goneFromCache))
                }
            } else if mayFetch {
                begin(model.name, revision: model.revision)
            }
        }
        pool.settle()
    }

    /// Cancels the current download for shutdown. The next start resumes it.
    func stop() {
        isStopping = true
        current?.fetch?.cancel()
    }

    // MARK: Requests

    /// Starts the download of a model. Acknowledged after its commit: from then on it is resumed
    /// after any crash. Repeating the request changes nothing.
    /// - Parameters:
    ///   - text: a short or a full name.
    ///   - revision: a branch, a tag or a commit.
    ///   - user: who requests it.
    /// - Returns: the model's full name.
    /// - Throws: `WireError`, or `PostgresError`.
    package func pull(_ text: String, revision: String, by user: UserID) async throws -> String {
        let name = try source.fullName(of: text)
        if let current {
            guard current.name != name else { return name }
            throw WireError(.busy, "\(current.name) is being pulled: try again when it is done")
        }
        switch pool.board[name] {
        case .ready?, .loading?, .unloading?, .standby?, .leaving?:
            throw WireError(.conflict, "\(name) is here already")
        case .unloaded?:
            throw WireError(.conflict, "\(name) is here already, and not loaded: load it")
        case .fetching?, .failed?, nil: break
        }
        current = Current(name: name)
        do {
            try await store.models.add(name, revision: revision, by: user)
        } catch {
            current = nil
            throw error
        }
        pool.forgetChoice(of: name)
        begin(name, revision: revision)
        return name
    }

    /// Cancels the download of a model, or removes one whose download or loading failed. Downloaded
    /// files stay in the cache.
    /// - Throws: `WireError.notFound` if there is nothing to cancel, or `PostgresError`.
    package func cancel(_ text: String) async throws {
        let name = try source.fullName(of: text)
        if let current, current.name == name {
            guard let fetch = current.fetch else {
                throw WireError(.busy, "\(name) is just starting: try again", retryAfter: 1)
            }
            try await store.models.forget(name)
            fetch.cancel()
        } else if requested.contains(name), case .failed? = pool.board[name] {
            try await store.models.forget(name)
            requested.remove(name)
            pool.remove(name)
        } else {
            throw WireError(.notFound, "\(name) is not being pulled")
        }
    }

    /// What a model would need, by an estimate from its files on the hub.
    /// - Returns: its full name, and the estimate or why there is none.
    /// - Throws: `WireError.badRequest` for a name that is none; `.busy` while the hub is asked
    ///   about another model.
    package func estimate(
        _ text: String,
        revision: String
    ) async throws -> (name: String, result: Result<ModelEstimate, ModelFailure>) {
        let name = try source.fullName(of: text)
        guard !name.contains(":") else {
            throw WireError(
                .badRequest,
                "what \(name) needs is known when it is here: a GGUF file has no config.json beside it"
            )
        }
        guard !isEstimating else {
            throw WireError(.busy, "the hub is asked about another model", retryAfter: 1)
        }
        isEstimating = true
        defer { isEstimating = false }
        return (name, await source.estimate(name, revision: revision, on: loop))
    }

    // MARK: Results

    private func begin(_ name: String, revision: String) {
        requested.insert(name)
        pool.update(name, to: .fetching(FetchProgress()))
        let fetch = source.fetch(name, revision: revision, on: loop) { [weak self] event in
            self?.take(event, of: name)
        }
        current = Current(name: name, fetch: fetch)
    }

    private func take(_ event: FetchEvent, of name: String) {
        guard !isStopping else { return }
        switch event {
        case .progress(let progress):
            pool.update(name, to: .fetching(progress))
        case .done(let folder):
            settle(name, { [store] in try await store.models.markFetched(name) }) { [self] in
                logger.notice("model pulled", metadata: ["model": "\(name)"])
                pool.load(name, from: folder)
            }
        case .failed(let reason):
            settle(name, { [store] in try await store.models.forget(name) }) { [self] in
                pool.update(name, to: .failed(reason: reason))
            }
        case .cancelled:
            current = nil
            pool.remove(name)
        }
    }

    /// Records the result of a download, retrying while the database is unavailable; then calls the
    /// continuation.
    private func settle(
        _ name: String,
        _ write: @escaping () async throws -> Void,
        then: @escaping () -> Void
    ) {
        loop.spawn { [self] in
            while true {
                do {
                    try await write()
                    break
                } catch let error as PostgresError where error.isTransient {
                    do { try await loop.sleep(for: .seconds(1)) } catch { return }
                } catch {
                    logger.error(
                        "storing the list of models failed",
                        metadata: ["model": "\(name)", "error": "\(error)"]
                    )
                    break
                }
            }
            current = nil
            then()
        }
    }
}
