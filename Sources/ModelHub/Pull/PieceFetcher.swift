// The connections of a pull. Each takes the next pending piece of any file. The task that writes a piece
// also digests the complete pieces that follow; the task that digests the last one renames the file.

import EventLoop
import HTTPProtocol

/// Fetches the files of one model. Used on its event loop.
struct PieceFetcher {
    let pull: ModelPull
    let name: ModelName
    let commit: String
    private let folder: ModelFolder

    init(_ pull: ModelPull, _ folder: ModelFolder, _ commit: String) {
        self.pull = pull
        self.folder = folder
        name = folder.name
        self.commit = commit
    }

    /// Fetches `files`; returns when all are verified and renamed.
    func fetch(_ files: [RepositoryFile]) async throws(HubError) {
        guard !files.isEmpty else { return }
        let queue = PullQueue(pull.loop, files)
        try await LoopTaskGroup.run(pull.configuration.connections, on: pull.loop) {
            () throws(HubError) in
            while let work = try await queue.next() {
                switch work {
                case .open(let file): try await open(file, queue)
                case .piece(let download, let index): try await fetch(index, of: download, queue)
                case .whole(let download): try await fetchWhole(download, queue)
                }
            }
        }
    }

    // MARK: Beginning

    private func open(_ file: RepositoryFile, _ queue: PullQueue) async throws(HubError) {
        let lock = try await lock(file)
        let folder = folder
        // The previous holder of the lock may have fetched the file.
        if try await pull.disk.run({ folder.has(file) }) {
            pull.meter.found(file.byteCount)
            return queue.finish(file)
        }
        let bounds = pull.configuration.pieceBytes
        let blob = try await pull.disk.run { () throws(SystemError) in
            try PartialBlob(file, in: folder, pieceBytes: bounds)
        }
        let download = FileDownload(blob, lock)
        for index in blob.listed.keys.sorted() {
            pull.meter.enter(.checking, file: file.path)
            // Pieces after a gap are digested later, once the pieces before them are complete.
            let isNext = index == download.digestedCount
            let digest = isNext ? download.digest : nil
            guard
                let checked = try await pull.disk.run({ () throws(SystemError) in
                    try blob.check(index, into: digest)
                })
            else { continue }
            download.finish(index)
            if let digest = checked.digest { download.advance(digest) }
            pull.meter.found(blob.layout.range(of: index).count)
        }
        queue.add(download)
        try await digest(download, queue)
    }

    /// Takes the file's lock; waits while another pull holds it.
    private func lock(_ file: RepositoryFile) async throws(HubError) -> BlobLock {
        let path = folder.lockPath(file.digest)
        let delay = Duration.milliseconds(500)
        while true {
            let lock = try await pull.disk.run { () throws(SystemError) in try BlobLock.take(path) }
            if let lock { return lock }
            pull.meter.enter(.waiting(delay, reason: .otherPull), file: file.path)
            do { try await pull.loop.sleep(for: delay) } catch { throw .cancelled }
        }
    }
}
