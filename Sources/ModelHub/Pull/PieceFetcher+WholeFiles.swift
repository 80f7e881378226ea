// Hosts that ignore ranges: each response is the whole file, from the start.

import EventLoop

extension PieceFetcher {
    /// Fetches the pending pieces of a file from whole-file responses.
    func fetchWhole(_ download: FileDownload, _ queue: PullQueue) async throws(HubError) {
        try await pull.retrier.run(position: { download.finishedBytes }) { () throws(HubError) in
            try await receiveWhole(download, queue)
        }
        // A connection that requested a range may have returned its piece in the meantime.
        download.giveBackWhole()
        queue.changed()
    }

    private func receiveWhole(
        _ download: FileDownload,
        _ queue: PullQueue
    ) async throws(HubError) {
        let byteCount = download.file.byteCount
        let exchange = try await request(download, range: nil)
        defer { exchange.end() }
        try AnsweredRange(exchange).check(asked: 0..<byteCount, of: download.file)
        var offset = 0
        var writer: PieceWriter?
        // A piece that an interruption leaves incomplete is received again from its start.
        defer {
            if let writer {
                pull.meter.found(-writer.receivedCount)
                download.giveBack(writer.index)
            }
        }
        while let bytes = try await exchange.next() {
            guard bytes.count <= byteCount - offset else {
                throw .wrongRange(file: download.file.path, "the file is longer than announced")
            }
            for part in download.layout.parts(of: bytes, at: offset) {
                // A piece that is given back while its bytes pass lacks those before: it is taken at
                // its start or not at all.
                if part.isStart, download.take(part.index) {
                    writer = PieceWriter(download.blob, part.index)
                }
                // Skips pieces that are complete or that another connection is fetching.
                guard let current = writer else { continue }
                try await take(part.bytes, into: current, of: download)
                guard current.missing.isEmpty else { continue }
                try await current.flush(on: pull.disk)
                writer = nil
                try await finish(part.index, of: download, queue)
            }
            offset += bytes.count
        }
        guard offset == byteCount else {
            throw .wrongRange(file: download.file.path, "the file is shorter than announced")
        }
    }
}
