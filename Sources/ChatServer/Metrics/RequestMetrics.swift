// Requests and their refusals, counted through swift-metrics: once a request, not once a message.

import ChatProtocol
import CoreMetrics

/// What became of requests, over WebSockets and HTTP.
final class RequestMetrics {
    private let factory: any MetricsFactory
    /// By the name of the operation.
    private let operations: [String: Counter]
    private let errors: [ErrorCode: Counter]
    private let times: Timer
    /// By the status of the response.
    private var responses: [Int: Counter] = [:]

    /// Begins to count in instruments of `factory`.
    init(_ factory: any MetricsFactory) {
        self.factory = factory
        operations = Dictionary(
            uniqueKeysWithValues: OperationDefinition.all.map { operation in
                (
                    operation.name,
                    Counter(
                        label: "stoa_requests_total",
                        dimensions: [("operation", operation.name)],
                        factory: factory
                    )
                )
            }
        )
        errors = Dictionary(
            uniqueKeysWithValues: ErrorCode.allCases.map { code in
                (
                    code,
                    Counter(
                        label: "stoa_errors_total",
                        dimensions: [("code", code.rawValue)],
                        factory: factory
                    )
                )
            }
        )
        times = Timer(label: "stoa_request_seconds", factory: factory)
    }

    /// An operation was answered, well or badly.
    func answered(_ operation: OperationDefinition, after duration: Duration) {
        operations[operation.name]?.increment()
        times.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    /// A request was refused, over either.
    func refused(_ code: ErrorCode) { errors[code]?.increment() }

    /// A request over HTTP was answered.
    func answered(status: Int) {
        if let known = responses[status] { return known.increment() }
        let counter = Counter(
            label: "stoa_http_responses_total",
            dimensions: [("status", "\(status)")],
            factory: factory
        )
        counter.increment()
        responses[status] = counter
    }
}
