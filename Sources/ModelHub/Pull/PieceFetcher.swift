// The connections of a pull. Each takes the next piece that nobody has, over all files; whoever writes a
// piece also carries the file's digest on over the pieces that are there, and whoever digests the last
// one gives the file its name.

import EventLoop
import HTTPProtocol

/// Fetches the files of one model. Lives on its loop.
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

    /// Fetches `files`; returns when all of them have their names.
    func fetch(_ files: [RepositoryFile]) async throws(HubError) {
        guard !files.isEmpty else { return }
        let queue = PullQueue(pull.loop, files)
        try await LaneGroup.run(pull.configuration.connections, on: pull.loop) {
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
        // Whoever held the lock may have fetched it.
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
            // Pieces after a gap wait for the digest of the file to come so far.
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

    /// Takes the file's lock, and waits for it where another pull is at the file.
    private func lock(_ file: RepositoryFile) async throws(HubError) -> BlobLock {
        let path = folder.lockPath(file.digest)
        let delay = Duration.milliseconds(500)
        while true {
            let lock = try await pull.disk.run { () throws(SystemError) in try BlobLock.take(path) }
            if let lock { return lock }
            pull.meter.enter(.waiting(delay, reason: "another pull fetches it"), file: file.path)
            do { try await pull.loop.sleep(for: delay) } catch { throw .cancelled }
        }
    }
}
