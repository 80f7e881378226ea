// Common handling of requests on all routes: logging, and counting errors.

import ChatProtocol
import HTTPProtocol
import Logging

extension Router {
    /// Handles a request.
    func answer(_ request: Request) async -> Outcome {
        let outcome = await self.outcome(of: request)
        server.logger.debug(
            "answered",
            metadata: [
                "request": "\(request.id)", "method": "\(request.head.method.name)",
                "route": "\(Self.routeName(request))", "status": "\(outcome.status)",
            ]
        )
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
