// What is done about every request, whichever route it takes: it is counted and logged, and browsers are
// told to come over TLS.

import ChatProtocol
import HTTPProtocol
import Logging

extension Router {
    /// Answers a request.
    func answer(_ request: Request) async -> Outcome {
        var outcome = await self.outcome(of: request)
        if let policy = server.settings.strictTransportSecurity {
            outcome.add("Strict-Transport-Security", policy)
        }
        server.metrics.requests.answered(status: outcome.status)
        server.logger.debug(
            "answered",
            metadata: [
                "request": "\(request.id)", "method": "\(request.head.method.name)",
                "route": "\(Self.routeName(request))", "status": "\(outcome.status)",
            ]
        )
        return outcome
    }

    /// The response to a request that failed.
    func refusal(_ error: any Error, _ request: Request) -> Response {
        let told = server.wireError(error, in: request.id)
        server.metrics.requests.refused(told.code)
        return .error(told)
    }

    /// What a log may say of a path, which may hold a link's token: its route.
    private static func routeName(_ request: Request) -> String {
        request.head.pathSegments.flatMap(HTTPRoute.match)?.route.rawValue ?? "page"
    }
}

extension Outcome {
    /// The status that the client is told.
    fileprivate var status: Int {
        switch self {
        case .response(let response): response.head.status.code
        case .stream(let head, _): head.status.code
        case .webSocket: HTTPStatus.switchingProtocols.code
        }
    }

    /// Adds a field to the response's head.
    fileprivate mutating func add(_ name: HTTPHeaderName, _ value: String) {
        switch self {
        case .response(var response):
            response.head.headers.add(name, value)
            self = .response(response)
        case .stream(var head, let next):
            head.headers.add(name, value)
            self = .stream(head, next)
        case .webSocket: break
        }
    }
}
