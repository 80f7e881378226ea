// Digests the pieces on disk, and renames the complete file.

import EventLoop

extension PieceFetcher {
    /// Records a piece that is on disk.
    func finish(
        _ index: Int,
        of download: FileDownload,
        _ queue: PullQueue
    ) async throws(HubError) {
        download.finish(index)
        try await digest(download, queue)
    }

    /// Adds complete pieces to the file's digest, unless another task is doing so; after the last
    /// piece, verifies and renames the file.
    func digest(_ download: FileDownload, _ queue: PullQueue) async throws(HubError) {
        guard !download.isDigesting else { return }
        download.isDigesting = true
        defer { download.isDigesting = false }
        let blob = download.blob
        while let index = download.nextToDigest {
            let digest = download.digest
            try await pull.disk.run { () throws(SystemError) in try blob.read(index, into: digest) }
            download.advance(digest)
        }
        guard download.isComplete else { return }
        pull.meter.enter(.finishing, file: download.file.path)
        if download.digest.finish() == download.file.digest.hexadecimal {
            try await pull.disk.run { () throws(SystemError) in try blob.publish() }
            queue.finish(download.file)
        } else {
            try await restart(download)
            queue.changed()
        }
    }

    /// Fetches a file again after a wrong checksum. The damaged piece is unknown: the hub only
    /// gives the digest of the whole file.
    private func restart(_ download: FileDownload) async throws(HubError) {
        let blob = download.blob
        guard download.fetches < pull.configuration.fetchesMax else {
            try await pull.disk.run { blob.remove() }
            throw .wrongChecksum(file: download.file.path, fetches: download.fetches)
        }
        try await pull.disk.run { () throws(SystemError) in try blob.restart() }
        pull.meter.found(-download.file.byteCount)
        download.restart()
    }
}
