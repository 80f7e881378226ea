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
    case deviceAuthorization = "/api/v1/device_authorization"
    case token = "/api/v1/token"
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

    /// A route's path, as `match` compares it.
    private struct Template {
        enum Segment {
            case text(String)
            /// Any segment.
            case parameter
            /// All the segments that are left, at least one.
            case rest
        }

        let route: HTTPRoute
        let segments: [Segment]
        let takesRest: Bool

        /// `{name}` stands for a segment, and `{+name}` at the end for the rest of the path, which
        /// may have slashes (RFC 6570, section 3.2.3).
        init(_ route: HTTPRoute) {
            self.route = route
            segments = route.rawValue.split(separator: "/").map { segment in
                if segment.hasPrefix("{+") { return .rest }
                return segment.hasPrefix("{") ? .parameter : .text(String(segment))
            }
            takesRest = if case .rest? = segments.last { true } else { false }
        }

        /// The parameters of a path; nil if it is not this route's.
        func parameters(of path: [String]) -> [String]? {
            guard segments.count == path.count || takesRest && path.count > segments.count else {
                return nil
            }
            var parameters: [String] = []
            for (index, segment) in segments.enumerated() {
                switch segment {
                case .text(let text): guard path[index] == text else { return nil }
                case .parameter: parameters.append(path[index])
                case .rest: parameters.append(path[index...].joined(separator: "/"))
                }
            }
            return parameters
        }
    }

    private static let templates = allCases.map(Template.init)

    /// Finds the route of a path.
    /// - Parameter path: the path's segments, decoded.
    /// - Returns: nil if there is none.
    public static func match(_ path: [String]) -> Match? {
        for template in templates {
            if let parameters = template.parameters(of: path) {
                return Match(route: template.route, parameters: parameters)
            }
        }
        return nil
    }
}
