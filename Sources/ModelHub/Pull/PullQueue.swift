// The work queue that a pull's connections share.

import EventLoop

/// Hands out work until all files are complete. Used on its event loop.
final class PullQueue {
    /// A unit of work for one connection.
    enum Work {
        /// Open a file.
        case open(RepositoryFile)
        /// Fetch a piece.
        case piece(FileDownload, Int)
        /// Fetch all pending pieces of a file with one whole-file request.
        case whole(FileDownload)
    }

    private let loop: EventLoop
    private var unopened: [RepositoryFile]
    private var open: [FileDownload] = []
    /// The number of incomplete files.
    private var unfinishedCount: Int
    private var waiters: [LoopPromise<Void, HubError>] = []

    init(_ loop: EventLoop, _ files: [RepositoryFile]) {
        self.loop = loop
        unopened = files.reversed()
        unfinishedCount = files.count
    }

    /// The next unit of work; waits if there is none at the moment.
    /// - Returns: nil when all files are complete.
    func next() async throws(HubError) -> Work? {
        while unfinishedCount > 0 {
            for download in open {
                if let index = download.takePiece() { return .piece(download, index) }
                if download.takeWhole() { return .whole(download) }
            }
            if let file = unopened.popLast() { return .open(file) }
            let change = LoopPromise<Void, HubError>(loop)
            waiters.append(change)
            try await change.value { change.fail(.cancelled) }
        }
        return nil
    }

    /// Adds an opened file, whose pieces may have to be fetched.
    func add(_ download: FileDownload) {
        open.append(download)
        changed()
    }

    /// Removes a complete file.
    func finish(_ file: RepositoryFile) {
        open.removeAll { $0.file == file }
        unfinishedCount -= 1
        changed()
    }

    /// Wakes the waiting connections: there may be work again.
    func changed() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.succeed(()) }
    }
}
