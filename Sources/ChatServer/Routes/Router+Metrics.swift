// Metrics for clients with the token of the settings. They contain no user content, but the amount
// and times of activity are confidential, too.

import ChatProtocol
import Digests
import HTTPProtocol
import Instruments

extension Router {
    /// `GET /metrics`: all metrics in Prometheus' text format.
    /// - Throws: `WireError.unauthenticated` without the token. If the settings name none, the
    ///   route does not exist.
    func metrics(_ request: Request) async throws(WireError) -> Response {
        guard let expected = server.settings.metricsToken else {
            return page.answer(["metrics"], request.head)
        }
        // Comparing digests does not reveal by timing how much of the token is right.
        guard let given = bearerToken(of: request),
            SHA256.digest(of: given) == SHA256.digest(of: expected)
        else { throw WireError(.unauthenticated, "a metrics token is required") }
        return Response(
            .ok,
            headers: [.contentType: PrometheusText.contentType, .cacheControl: "no-store"],
            body: Array(await server.metrics.text().utf8)
        )
    }

    private func bearerToken(of request: Request) -> String? {
        guard let authorization = request.head.headers[.authorization],
            authorization.lowercased().hasPrefix("bearer ")
        else { return nil }
        return String(authorization.dropFirst("bearer ".count))
    }
}
