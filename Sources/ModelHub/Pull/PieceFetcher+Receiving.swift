// Requests for the bytes of a file, and handling of responses with other bytes.

import EventLoop
import HTTPProtocol

extension PieceFetcher {
    /// Fetches the piece `index`, with retries.
    func fetch(
        _ index: Int,
        of download: FileDownload,
        _ queue: PullQueue
    ) async throws(HubError) {
        let writer = PieceWriter(download.blob, index)
        let hasAll = try await pull.retrier.run(position: { writer.receivedCount }) {
            () throws(HubError) in
            try await receive(into: writer, of: download)
        }
        guard hasAll else {
            pull.meter.found(-writer.receivedCount)
            download.noteRangesIgnored()
            download.giveBack(index)
            return queue.changed()
        }
        try await finish(index, of: download, queue)
    }

    /// Makes one attempt to fill a piece; keeps the bytes received before a failure.
    /// - Returns: false if the host ignores ranges.
    private func receive(
        into writer: PieceWriter,
        of download: FileDownload
    ) async throws(HubError) -> Bool {
        let range = writer.missing
        guard !range.isEmpty else { return true }
        let isAll = range == 0..<download.file.byteCount
        let exchange = try await request(download, range: isAll ? nil : range)
        defer { exchange.end() }
        if exchange.head.status == .ok, !isAll { return false }
        try AnsweredRange(exchange).check(asked: range, of: download.file)
        let failure: HubError?
        do throws(HubError) {
            while let bytes = try await exchange.next() {
                try await take(bytes, into: writer, of: download)
            }
            failure = nil
        } catch {
            failure = error
        }
        try await writer.flush(on: pull.disk)
        if let failure { throw failure }
        guard writer.missing.isEmpty else {
            throw .wrongRange(file: download.file.path, "fewer bytes than requested were received")
        }
        return true
    }

    /// Adds received bytes to a piece.
    func take(
        _ bytes: some Collection<UInt8>,
        into writer: PieceWriter,
        of download: FileDownload
    ) async throws(HubError) {
        guard bytes.count <= writer.missing.count else {
            throw .wrongRange(file: download.file.path, "more bytes than requested were received")
        }
        writer.append(bytes)
        pull.meter.received(bytes.count, of: download.file.path)
        if writer.isBufferFull { try await writer.flush(on: pull.disk) }
    }

    /// Requests the URL that the hub last redirected to for this file, or else the hub.
    func request(
        _ download: FileDownload,
        range: Range<Int>?
    ) async throws(HubError) -> HubExchange {
        let file = download.file.path
        let path = "/\(name)/resolve/\(commit)/\(PercentEncoding.encode(file))"
        let subject = HubSubject(name: name, revision: commit, file: file)
        let timeout = pull.configuration.downloadTimeout
        while true {
            let known = download.address
            // Cleared first, so that after any failure the next attempt asks the hub for a new URL.
            download.address = nil
            do throws(HubError) {
                let exchange = try await pull.client.open(
                    known ?? pull.configuration.url(path),
                    range: range,
                    timeout: timeout,
                    about: subject
                )
                let isHub = exchange.url.origin == pull.configuration.endpoint.origin
                if !isHub { download.address = exchange.url }
                return exchange
            } catch {
                // A signed URL expires after about an hour. The hub issues a new one; no backoff is
                // needed.
                guard known != nil, case .unavailable(_, let status, _) = error,
                    [400, 401, 403, 404, 410].contains(status.code)
                else { throw error }
            }
        }
    }
}
