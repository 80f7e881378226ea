/// The routes of the HTTP interface, except the page's files: the one list that the server, the
/// permissions and the tests use.
public enum HTTPRoute: String, Sendable, CaseIterable {
    case webSocket = "/ws"
    case liveness = "/healthz"
    case readiness = "/readyz"
    case metrics = "/metrics"
    case session = "/api/v1/session"
    case signUp = "/api/v1/sign-up"
    case passwordReset = "/api/v1/reset"
    case openIDStart = "/api/v1/openid/start"
    case openIDCallback = "/api/v1/openid/callback"
    case conversationExport = "/api/v1/conversations/{conversation}/export"
    case transferExport = "/api/v1/export"
    case transferImport = "/api/v1/import"
    case receipt = "/api/v1/conversations/{conversation}/messages/{message}/receipt"
    case shared = "/api/v1/shared/{token}"
    case openAIModels = "/v1/models"
    case openAIModel = "/v1/models/{+model}"
    case openAIChatCompletions = "/v1/chat/completions"
    case openAICompletions = "/v1/completions"
    case openAIResponses = "/v1/responses"
    case openAIResponse = "/v1/responses/{response}"

    /// A matched route with the parameters of its path.
    public struct Match: Sendable, Hashable {
        /// The route.
        public let route: HTTPRoute
        /// The values for the names in braces, in their order.
        public let parameters: [String]
    }

    /// Finds the route of a path.
    /// - Parameter path: the path's segments, decoded.
    /// - Returns: nil if there is none.
    public static func match(_ path: [String]) -> Match? {
        for route in allCases {
            if let parameters = route.parameters(of: path) {
                return Match(route: route, parameters: parameters)
            }
        }
        return nil
    }

    /// The parameters of a path; nil if it is not this route's. `{+name}` at the end stands for the
    /// rest of the path, which may have slashes (RFC 6570, section 3.2.3).
    private func parameters(of path: [String]) -> [String]? {
        let template = rawValue.split(separator: "/")
        let takesRest = template.last?.hasPrefix("{+") == true
        guard template.count == path.count || takesRest && path.count > template.count else {
            return nil
        }
        var parameters: [String] = []
        for (index, (expected, segment)) in zip(template, path).enumerated() {
            if expected.hasPrefix("{+") {
                parameters.append(path[index...].joined(separator: "/"))
            } else if expected.hasPrefix("{") {
                parameters.append(segment)
            } else if expected != segment {
                return nil
            }
        }
        return parameters
    }
}
