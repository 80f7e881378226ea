// Pages of keys and values on the disk, for all engines of a process.

import FoundationEssentials
import Glibc

/// Keeps what engines have read, so that it need not be read again when memory had no room for it, or
/// after a restart: a file for each scope of requests, in a folder of a bounded size.
///
/// One thread of its own touches the files. What it has to do is bounded by those who ask: each engine
/// lends it a few pages at a time, and looks once for each request that waits.
public final class PageStore: Sendable {
    /// What the thread does next; it gives back what is to be told when the list of scopes is right.
    private typealias Job = @Sendable (inout PageFolder) -> @Sendable () -> Void

    private struct State: Sendable {
        var jobs: [Job] = []
        var scopes: Set<String>
        var isClosed = false
        var hasEnded = false
    }

    private let monitor: Monitor<State>
    /// What an earlier life of the process noted last in the folder; nil for nothing.
    public let noteFound: String?

    /// Opens the folder, and makes it where it is missing; nobody but its owner may enter it.
    /// - Parameters:
    ///   - folder: where the files are; it has nothing else.
    ///   - byteLimit: the most bytes of all files together. Half of what the disk has to spare is a
    ///     bound, too. Files go that were not used for longest.
    ///   - log: gets a line where a file is given up because something is wrong with it; on any
    ///     thread.
    /// - Throws: `PageStoreError.inUse` where another process has the folder, `.system` where it
    ///   cannot be used.
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

    /// Ends what was begun, and lets others have the folder. Blocks; engines that use the store must
    /// have been shut down.
    public func close() {
        monitor.update { $0.isClosed = true }
        monitor.update(when: { $0.hasEnded }) { _ in }
    }

    /// Removes a folder with all that was kept in it, where no other process uses it.
    /// - Parameters:
    ///   - folder: the folder; there may be none.
    ///   - log: gets a line where it stays, or something in it: whoever keeps nothing any more has to
    ///     know of what is there still.
    public static func removeFolder(_ folder: String, log: @escaping @Sendable (String) -> Void) {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do throws(PageStoreError) {
            let opened = try PageFolder(path: folder, byteLimit: 0, log: log)
            defer { opened.close() }
            try? FileManager.default.removeItem(atPath: folder)
            guard rmdir(folder) == 0 || errno == ENOENT else { throw .latest("remove it") }
        } catch {
            log("the kept pages in \(folder) are not removed: \(error)")
        }
    }

    /// Whose pages are kept.
    public var scopes: Set<String> { monitor.read { $0.scopes } }

    /// Removes what is kept of these scopes. Does not wait. An engine that has them in memory is told
    /// by `InferenceEngine.forget`, which removes them here too.
    public func remove(_ scopes: [String]) {
        _ = post { folder in
            for scope in scopes { folder.remove(scope) }
            return {}
        }
    }

    /// Notes a line for the next life of the process, once all is removed that was asked for before.
    /// Does not wait.
    public func write(note: String) {
        _ = post { folder in
            folder.note.write(note)
            return {}
        }
    }

    // MARK: - For engines

    /// Whether something is kept of a scope.
    package func has(_ scope: String) -> Bool {
        monitor.read { $0.scopes.contains(scope) }
    }

    /// Waits, blocking, until something is kept of a scope; for tests and measurements.
    package func waitUntilKept(_ scope: String) {
        monitor.update(when: { $0.scopes.contains(scope) }) { _ in }
    }

    /// Keeps pages of a sequence; see `PageFolder.keep`. The pages are lent until `reply` is called,
    /// on the store's thread.
    package func keep(
        _ pages: [LentPage],
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

    /// Looks for pages of a sequence; see `PageFolder.find`. `reply` is called on the store's thread.
    package func find(
        _ sequence: PageSequence,
        beyond knownCount: Int,
        reply: @escaping @Sendable (KeptPages?) -> Void
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

    /// Waits for something to do; nil at the end.
    private static func nextJob(_ monitor: Monitor<State>) -> Job? {
        monitor.update(when: { $0.isClosed || !$0.jobs.isEmpty }) { state -> Job? in
            state.jobs.isEmpty ? nil : state.jobs.removeFirst()
        }
    }
}
