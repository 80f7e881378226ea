// What is done about every request, whichever route it takes: it is logged, and its refusal counted.

import ChatProtocol
import HTTPProtocol
import Logging

extension Router {
    /// Answers a request.
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
}
