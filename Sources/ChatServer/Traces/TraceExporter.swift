// Sends finished spans to a collector by OTLP/HTTP (opentelemetry.io/docs/specs/otlp, JSON encoding):
// once a second, in batches, one request at a time. What cannot be sent is dropped and counted:
// traces must never slow down the server.

import EventLoop
import HTTPProtocol
import Logging
import Traces

/// Sends the spans of a server. Lives on its loop.
final class TraceExporter {
    /// Maximum spans of a request: some 500 KB.
    private static let batchCountMax = 512
    private static let period = Duration.seconds(1)
    /// How often a batch is sent before it is dropped.
    private static let triesMax = 5
    private static let retryPauses = (first: Duration.seconds(1), last: Duration.seconds(8))
    /// How long the last batches may take on shutdown.
    private static let lastTimeout = Duration.seconds(1)

    /// Where spans are sent to.
    struct Collector: Sendable {
        let url: HTTPURL
        /// Additional header fields, such as a token.
        let headers: HTTPHeaders
        /// The attributes that say what made the spans.
        let resource: [(String, String)]
    }

    /// Spans that the collector has accepted.
    private(set) var sentCount = 0
    /// Spans that it refused, or that could not be sent.
    private(set) var failedCount = 0
    private let collector: Collector
    private let buffer: SpanBuffer
    private let loop: EventLoop
    private let http: OutgoingHTTP
    private let logger: Logger
    private var task: LoopTask?
    private var isFailing = false
    /// What was being sent when it was stopped.
    private var interrupted: [FinishedSpan]?

    init(
        _ collector: Collector,
        _ buffer: SpanBuffer,
        loop: EventLoop,
        workers: WorkerPool,
        logger: Logger
    ) {
        self.collector = collector
        self.buffer = buffer
        self.loop = loop
        self.logger = logger
        http = OutgoingHTTP(loop: loop, workers: workers)
    }

    /// Spans that were dropped because too many waited.
    var droppedCount: Int { buffer.droppedCount }

    /// Begins to send.
    func start() {
        task = loop.spawn { [self] in
            while !Task.isCancelled {
                do { try await loop.sleep(for: Self.period) } catch { return }
                while let batch = nextBatch(), !Task.isCancelled { await send(batch) }
            }
        }
    }

    /// Sends what is left, once, and ends.
    func stop() async {
        task?.cancel()
        await task?.wait()
        task = nil
        var http = http
        http.timeout = Self.lastTimeout
        if let interrupted { settle(interrupted, await attempt(interrupted, by: http)) }
        while !isFailing, let batch = nextBatch() { settle(batch, await attempt(batch, by: http)) }
    }

    private func nextBatch() -> [FinishedSpan]? {
        let batch = buffer.take(atMost: Self.batchCountMax)
        return batch.isEmpty ? nil : batch
    }

    private enum Result {
        case sent
        /// Another try may help.
        case failed(String)
        case refused(String)
    }

    private func send(_ batch: [FinishedSpan]) async {
        var pause = Self.retryPauses.first
        for _ in 1..<Self.triesMax {
            let result = await attempt(batch, by: http)
            guard case .failed(let reason) = result else { return settle(batch, result) }
            if !Task.isCancelled { warn(reason) }
            do { try await loop.sleep(for: pause) } catch {
                interrupted = batch
                return
            }
            pause = min(pause * 2, Self.retryPauses.last)
        }
        settle(batch, await attempt(batch, by: http))
    }

    private func attempt(_ batch: [FinishedSpan], by http: OutgoingHTTP) async -> Result {
        do {
            let export = TraceExport(batch, of: collector.resource, version: Server.version)
            var headers = collector.headers
            headers[.contentType] = "application/json"
            let (status, _) = try await http.send(
                .post,
                collector.url,
                headers: headers,
                body: try export.text()
            )
            switch status {
            case 200..<300: return .sent
            case 429, 502, 503, 504: return .failed("status \(status)")
            default: return .refused("status \(status)")
            }
        } catch {
            return .failed("\(error)")
        }
    }

    /// Counts what has become of a batch.
    private func settle(_ batch: [FinishedSpan], _ result: Result) {
        switch result {
        case .sent:
            sentCount += batch.count
            if isFailing { logger.notice("traces are sent again") }
            isFailing = false
        case .failed(let reason), .refused(let reason):
            failedCount += batch.count
            warn(reason)
        }
    }

    /// Logs the first failure of several.
    private func warn(_ reason: String) {
        guard !isFailing else { return }
        isFailing = true
        logger.warning(
            "sending traces failed",
            metadata: ["collector": "\(collector.url.origin)", "reason": "\(reason)"]
        )
    }
}
