// KV cache pages on disk, for all engines of a process.

import FoundationEssentials
import Glibc

/// Stores the KV cache pages of engines on disk, so that prompts need not be computed again after
/// pages were evicted from memory, or after a restart: a file for each scope, in a folder with a
/// size limit.
///
/// Only its own thread accesses the files. Its queue is bounded by the engines: each has a few
/// borrowed pages at a time, and looks up once for each waiting request.
public final class PageStore: Sendable {
    /// A job of the thread; returns the function to call after the list of scopes was updated.
    private typealias Job = @Sendable (inout PageFolder) -> @Sendable () -> Void

    private struct State: Sendable {
        var jobs: [Job] = []
        var scopes: Set<String>
        var isClosed = false
        var hasEnded = false
    }

    private let monitor: Monitor<State>
    /// The note of an earlier process in the folder; nil for none.
    public let noteFound: String?

    /// Opens the folder, and creates it if it is missing; only its owner may enter it.
    /// - Parameters:
    ///   - folder: the folder, which must contain only these files.
    ///   - byteLimit: maximum size of all files together in bytes; also limited to half of the free
    ///     disk space. The least recently used files are removed.
    ///   - log: receives a line when a file is discarded because of an error; called on any thread.
    /// - Throws: `PageStoreError.inUse` if another process uses the folder, `.system` if it cannot
    ///   be used.
    public init(
        folder: String,
        byteLimit: Int,
        log: @escaping @Sendable (String) -> Void
    ) throws(PageStoreError) {
        let opened = try PageFolder(path: folder, byteLimit: byteLimit, log: log)
        let monitor = Monitor(State(scopes: opened.scopes))
        self.monitor = monitor
        noteFound = opened.note.read()
        do throws(EngineError) {
            _ = try EngineThread.launch(name: "kv-disk") { PageStore.work(opened, monitor) }
        } catch {
            throw .system(operation: "start a thread", errno: EAGAIN)
        }
    }

    deinit {
        monitor.update { $0.isClosed = true }
    }

    /// Finishes its jobs and unlocks the folder. Blocks; engines that use the store must have been
    /// shut down.
    public func close() {
        monitor.update { $0.isClosed = true }
        monitor.update(when: { $0.hasEnded }) { _ in }
    }

    /// Removes a folder with all stored pages, unless another process uses it.
    /// - Parameters:
    ///   - folder: the folder; may be missing.
    ///   - log: receives a line if the folder or a file in it could not be removed.
    public static func removeFolder(_ folder: String, log: @escaping @Sendable (String) -> Void) {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do throws(PageStoreError) {
            let opened = try PageFolder(path: folder, byteLimit: 0, log: log)
            defer { opened.close() }
            try? FileManager.default.removeItem(atPath: folder)
            guard rmdir(folder) == 0 || errno == ENOENT else { throw .latest("remove it") }
        } catch {
            log("KV cache pages in \(folder) not removed: \(error)")
        }
    }

    /// The scopes with stored pages.
    public var scopes: Set<String> { monitor.read { $0.scopes } }

    /// Removes the stored pages of these scopes without blocking. `InferenceEngine.forget` removes
    /// those in an engine's memory, and calls this.
    public func remove(_ scopes: [String]) {
        _ = post { folder in
            for scope in scopes { folder.remove(scope) }
            return {}
        }
    }

    /// Writes a note for the next process, after all earlier removals. Does not block.
    public func write(note: String) {
        _ = post { folder in
            folder.note.write(note)
            return {}
        }
    }

    // MARK: - For engines

    /// Whether a scope has stored pages.
    package func has(_ scope: String) -> Bool {
        monitor.read { $0.scopes.contains(scope) }
    }

    /// Blocks until a scope has stored pages; for tests and benchmarks.
    package func waitUntilStored(_ scope: String) {
        monitor.update(when: { $0.scopes.contains(scope) }) { _ in }
    }

    /// Writes pages of a sequence; see `PageFolder.keep`. The pages are borrowed until `reply` is
    /// called on the store's thread.
    package func keep(
        _ pages: [BorrowedPage],
        of sequence: PageSequence,
        from first: Int,
        reply: @escaping @Sendable (_ wanted: Int?) -> Void
    ) {
        let isPosted = post { folder in
            let wanted = folder.keep(pages, of: sequence, from: first)
            return { reply(wanted) }
        }
        if !isPosted { reply(nil) }
    }

    /// Looks up pages of a sequence; see `PageFolder.find`. `reply` is called on the store's
    /// thread.
    package func find(
        _ sequence: PageSequence,
        beyond knownCount: Int,
        reply: @escaping @Sendable (StoredPages?) -> Void
    ) {
        let isPosted = post { folder in
            let found = folder.find(sequence, beyond: knownCount)
            return { reply(found) }
        }
        if !isPosted { reply(nil) }
    }

    // MARK: - The thread

    private func post(_ job: @escaping Job) -> Bool {
        monitor.update { state -> Bool in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            return true
        }
    }

    private static func work(_ opened: PageFolder, _ monitor: Monitor<State>) {
        var folder = opened
        while let job = nextJob(monitor) {
            let reply = job(&folder)
            let scopes = folder.scopes
            monitor.update { $0.scopes = scopes }
            reply()
        }
        folder.close()
        monitor.update { $0.hasEnded = true }
    }

    /// Waits for a job; nil at the end.
    private static func nextJob(_ monitor: Monitor<State>) -> Job? {
        monitor.update(when: { $0.isClosed || !$0.jobs.isEmpty }) { state -> Job? in
            state.jobs.isEmpty ? nil : state.jobs.removeFirst()
        }
    }
}
