// Requests and errors, counted through swift-metrics: once per request, not per message.

import ChatProtocol
import CoreMetrics
import Instruments

/// Counts requests over WebSockets and HTTP, and their results.
final class RequestMetrics {
    private let factory: any MetricsFactory
    /// By the name of the operation.
    private let operations: [String: Counter]
    private let errors: [ErrorCode: Counter]
    private let times: Timer
    /// By response status.
    private var responses: [Int: Counter] = [:]

    /// Creates the counters with `factory`.
    init(_ factory: any MetricsFactory) {
        self.factory = factory
        operations = Dictionary(
            uniqueKeysWithValues: OperationDefinition.all.map { operation in
                (
                    operation.name,
                    Counter(
                        label: MetricDefinition.requests.name,
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
                        label: MetricDefinition.errors.name,
                        dimensions: [("code", code.rawValue)],
                        factory: factory
                    )
                )
            }
        )
        times = Timer(label: MetricDefinition.requestTimes.name, factory: factory)
    }

    /// Counts a reply to an operation, success or error.
    func answered(_ operation: OperationDefinition, after duration: Duration) {
        operations[operation.name]?.increment()
        times.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    /// Counts an error, over either transport.
    func refused(_ code: ErrorCode) { errors[code]?.increment() }

    /// Counts an HTTP response.
    func answered(status: Int) {
        if let known = responses[status] { return known.increment() }
        let counter = Counter(
            label: MetricDefinition.responses.name,
            dimensions: [("status", "\(status)")],
            factory: factory
        )
        counter.increment()
        responses[status] = counter
    }
}
