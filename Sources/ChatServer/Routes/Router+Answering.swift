// Common handling of requests on all routes: logging, and counting errors.

import ChatProtocol
import HTTPProtocol
import Logging
import Traces
import Tracing

extension Router {
    /// Handles a request for a file of the page, or of a probe, which need no task, trace or database;
    /// nil for others.
    func answerAtOnce(_ request: Request) -> Outcome? {
        guard request.match?.route.isForProbes ?? true,
            let outcome = outcomeFromMemory(of: request)
        else { return nil }
        log(outcome, of: request)
        return outcome
    }

    /// Handles a request.
    func answer(_ request: Request) async -> Outcome {
        let outcome = await watched(request)
        log(outcome, of: request)
        return outcome
    }

    private func log(_ outcome: Outcome, of request: Request) {
        server.logger.debug(
            "answered",
            metadata: [
                "request": "\(request.id)", "method": "\(request.head.method.name)",
                "route": "\(Self.routeName(request))", "status": "\(outcome.status)",
            ]
        )
    }

    /// Handles a request, and logs it if it is slow: not one that waits for a model.
    private func watched(_ request: Request) async -> Outcome {
        guard let slowLog = server.slowLog, let route = request.match?.route, !route.waitsForModel
        else { return await traced(request) }
        let name = "\(request.head.method.name) \(route.rawValue)"
        return await slowLog.watch(name, request.id) { await traced(request) }
    }

    /// Handles a request in a span of its own, if it is traced: probes and the page's files are not.
    private func traced(_ request: Request) async -> Outcome {
        guard let traces = server.traces, let route = request.match?.route,
            !route.isForProbes, route != .metrics,
            let span = traces.begin(
                "\(request.head.method.name) \(route.rawValue)",
                from: traces.caller(of: request.head.headers, peer: request.peer),
                request.id
            )
        else { return await outcome(of: request) }
        let outcome = await ServiceContext.withValue(span.context) {
            await self.outcome(of: request)
        }
        span.attributes["http.request.method"] = request.head.method.name
        span.attributes["http.route"] = route.rawValue
        span.attributes["http.response.status_code"] = outcome.status
        if outcome.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
        return outcome
    }

    /// The response to a failed request.
    func refusal(_ error: any Error, _ request: Request) -> Response {
        let told = server.wireError(error, in: request.id)
        server.metrics.requests.refused(told.code)
        return .error(told)
    }

    /// The route for the log: a path may contain a link's token.
    private static func routeName(_ request: Request) -> String {
        request.match?.route.rawValue ?? "page"
    }
}

extension HTTPRoute {
    /// Whether its requests take as long as a model needs.
    fileprivate var waitsForModel: Bool {
        switch self {
        case .openAIChatCompletions, .openAICompletions, .openAIResponses: true
        default: false
        }
    }
}

extension Outcome {
    /// The response's status.
    fileprivate var status: Int {
        switch self {
        case .response(let response): response.head.status.code
        case .stream(let head, _): head.status.code
        case .webSocket: HTTPStatus.switchingProtocols.code
        }
    }
}
