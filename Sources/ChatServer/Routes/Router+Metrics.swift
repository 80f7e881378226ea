// Figures for whoever has the token of the settings. They say nothing of anybody's content, but how much
// goes on, and when, is nobody else's business.

import ChatProtocol
import Digests
import HTTPProtocol
import Instruments

extension Router {
    /// `GET /metrics`: all figures as Prometheus reads them.
    /// - Throws: `WireError.unauthenticated` without the token. Where the settings name none, there is
    ///   no such page.
    func metrics(_ request: Request) async throws(WireError) -> Response {
        guard let expected = server.settings.metricsToken else {
            return page.answer(["metrics"], request.head)
        }
        // Digests are compared, so that the time that takes says nothing of the token.
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
