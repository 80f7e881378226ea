// Fetching a model: ask for the list, fetch what is missing, check it, then show it. A pull that fails
// leaves no snapshot, and its parts are resumed by the next.

public import EventLoop
import HTTPProtocol
import Networking

/// Fetches models into the cache. Lives on its loop.
public final class ModelPull {
    private let loop: EventLoop
    private let configuration: HubConfiguration
    private let pool: WorkerPool
    private let client: HubClient
    private let report: (PullProgress) -> Void
    private let start: ContinuousClock.Instant
    private var progress = PullProgress(totalBytes: 0, doneBytes: 0)

    /// A pull that tells `report` how far it is.
    /// - Throws: where the system has no more threads.
    public init(
        loop: EventLoop,
        configuration: HubConfiguration,
        report: @escaping (PullProgress) -> Void = { _ in }
    ) throws(HubError) {
        self.loop = loop
        self.configuration = configuration
        self.report = report
        start = loop.now
        do throws(SystemError) {
            pool = try WorkerPool(name: "hub", threads: 1, queueLimit: 4)
        } catch {
            throw .disk(error)
        }
        client = HubClient(loop: loop, configuration: configuration, pool: pool)
    }

    /// Fetches `name` at `revision`, a branch, tag or commit.
    /// - Returns: the snapshot's folder.
    public func run(
        _ name: ModelName,
        revision: String = "main"
    ) async throws(HubError) -> String {
        guard !configuration.isOffline else { throw .offline }
        guard !revision.hasPrefix("."), (1...200).contains(revision.utf8.count) else {
            throw .badName(revision)
        }
        let escaped = PercentEncoding.encode(revision).split(separator: "/").joined(
            separator: "%2F"
        )
        let base = "/api/models/\(name)"
        let found = try await retrying { [self] () throws(HubError) in
            try await client.json(
                configuration.url("\(base)/revision/\(escaped)"),
                as: RevisionAnswer.self,
                what: "\(name) (\(revision))"
            )
        }
        guard isHexadecimal(found.sha, count: 40) else { throw .badResponse("no commit") }
        let list = try await retrying { [self] () throws(HubError) in
            try await client.json(
                configuration.url("\(base)/tree/\(found.sha)?recursive=true"),
                as: [RepositoryFile].self,
                what: "\(name)"
            )
        }
        let files = list.filter(\.isWanted)
        for file in files { try file.check() }
        guard list.count < 1000, files.contains(where: { $0.path == "config.json" }) else {
            throw .badResponse("\(name) is no model: too many files, or no config.json")
        }
        let cache = ModelCache(configuration, name)
        try await onDisk { () throws(HubError) in try cache.makeFolders() }
        let missing = files.filter { !cache.has($0) }
        progress.totalBytes = files.reduce(0) { $0 + $1.byteCount }
        progress.doneBytes = progress.totalBytes - missing.reduce(0) { $0 + $1.byteCount }
        for file in missing {
            let url = configuration.url(
                "/\(name)/resolve/\(found.sha)/\(PercentEncoding.encode(file.path))"
            )
            try await fetch(file, url, into: cache)
        }
        tell()
        return try await onDisk { () throws(HubError) in
            try cache.publish(files, commit: found.sha, revision: revision)
        }
    }

    /// Fetches one file. Attempts that bring bytes do not count as failures.
    private func fetch(
        _ file: RepositoryFile,
        _ url: HubURL,
        into cache: ModelCache
    ) async throws(HubError) {
        let blob = cache.blobPath(file)
        let partial = try await onDisk { () throws(HubError) in
            try PartialFile(path: "\(blob).incomplete")
        }
        let before = progress.doneBytes
        while try partial.byteCount() != file.byteCount {
            try await retrying { [self] () throws(HubError) in
                let offset = try partial.byteCount()
                do throws(HubError) {
                    try await receive(file, url, into: partial, base: before)
                } catch {
                    // What came is kept: the outer loop goes on from there with fresh patience.
                    guard error.isTransient, try partial.byteCount() > offset else { throw error }
                }
            }
        }
        progress.doneBytes = before + file.byteCount
        try await onDisk { () throws(HubError) in try partial.finish(as: file, at: blob) }
    }

    private func receive(
        _ file: RepositoryFile,
        _ url: HubURL,
        into partial: PartialFile,
        base: Int
    ) async throws(HubError) {
        var offset = try partial.byteCount()
        if offset > file.byteCount {
            try partial.truncate()
            offset = 0
        }
        let exchange = try await client.open(
            url,
            from: offset,
            bodyBytesMax: file.byteCount + 1,
            what: file.path
        )
        defer { exchange.close() }
        if exchange.head.status == .ok, offset > 0 {
            // The range was ignored: the file comes from its beginning.
            try partial.truncate()
            offset = 0
        } else if offset > 0 {
            let range = exchange.head.headers[.contentRange] ?? ""
            guard range.hasPrefix("bytes \(offset)-") else {
                throw .badResponse("\(file.path): another range than was asked for")
            }
        }
        while true {
            // What arrived before a cut is written too, before its error goes on.
            var pending: [UInt8] = []
            var failure: HubError?
            var isAtEnd = false
            while pending.count < 1 << 20, failure == nil, !isAtEnd {
                do throws(HubError) {
                    if let bytes = try await exchange.next() {
                        pending += bytes
                    } else {
                        isAtEnd = true
                    }
                } catch { failure = error }
            }
            let (piece, position) = (pending, offset)
            guard position + piece.count <= file.byteCount else {
                try partial.truncate()
                throw .wrongChecksum(file: file.path)
            }
            try await onDisk { () throws(HubError) in try partial.write(piece, at: position) }
            offset += piece.count
            progress.receivedBytes += piece.count
            progress.doneBytes = base + offset
            tell()
            if let failure { throw failure }
            if isAtEnd { break }
        }
        guard offset == file.byteCount else { throw .wrongChecksum(file: file.path) }
    }

    private func tell() {
        progress.elapsed = loop.now - start
        report(progress)
    }

    /// Attempts again after failures that may pass, later each time.
    private func retrying<Success>(
        _ body: () async throws(HubError) -> Success
    ) async throws(HubError) -> Success {
        var delay = configuration.retryDelay
        var attempt = 1
        while true {
            do throws(HubError) { return try await body() } catch {
                guard error.isTransient, attempt < configuration.attemptsMax else { throw error }
                var wait = delay * Double.random(in: 0.5...1)
                if case .unavailable(_, _, let asked?) = error { wait = max(wait, asked) }
                do { try await loop.sleep(for: wait) } catch {
                    throw .network(host: configuration.endpoint.host, .cancelled)
                }
            }
            attempt += 1
            delay = min(delay * 2, .seconds(15))
        }
    }

    /// Runs what blocks on the pool's thread.
    private func onDisk<Success: Sendable>(
        _ work: @escaping @Sendable () throws(HubError) -> Success
    ) async throws(HubError) -> Success {
        do { return try await pool.run { try work() } } catch let error as HubError {
            throw error
        } catch {
            throw .network(host: configuration.endpoint.host, .cancelled)
        }
    }
}
