// What is left to do, for the connections that do it.

import EventLoop

/// Hands out work until all files are there. Lives on its loop.
final class PullQueue {
    /// Something for one connection to do.
    enum Work {
        /// Begin with a file.
        case open(RepositoryFile)
        /// Fetch a piece.
        case piece(FileDownload, Int)
        /// Fetch all that is left, front to back.
        case whole(FileDownload)
    }

    private let loop: EventLoop
    private var unopened: [RepositoryFile]
    private var open: [FileDownload] = []
    /// How many files are not there.
    private var unfinishedCount: Int
    private var waiters: [LoopPromise<Void, HubError>] = []

    init(_ loop: EventLoop, _ files: [RepositoryFile]) {
        self.loop = loop
        unopened = files.reversed()
        unfinishedCount = files.count
    }

    /// The next thing to do, where others are at everything else: waits for what they may leave.
    /// - Returns: nil when all files are there.
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

    /// A file was opened and may have pieces to fetch.
    func add(_ download: FileDownload) {
        open.append(download)
        changed()
    }

    /// A file is there.
    func finish(_ file: RepositoryFile) {
        open.removeAll { $0.file == file }
        unfinishedCount -= 1
        changed()
    }

    /// There may be something to do again.
    func changed() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.succeed(()) }
    }
}
