// The methods that a path supports: for `Allow`, for replies to OPTIONS, and for 405 and 501 (RFC
// 9110, sections 9 and 10.2.1).

package import ChatProtocol
package import HTTPProtocol

extension HTTPRoute {
    /// The methods that the route supports, besides OPTIONS.
    package var methods: [HTTPMethod] {
        switch self {
        case .webSocket, .liveness, .readiness, .metrics, .openIDStart, .openIDCallback,
            .conversationExport, .transferExport, .receipt, .shared, .openAIModels, .openAIModel:
            HTTPMethod.reading
        case .openAIResponse: HTTPMethod.reading + [.delete]
        case .session: HTTPMethod.reading + [.post, .delete]
        case .signUp, .passwordReset, .deviceAuthorization, .token, .transferImport,
            .openAIChatCompletions, .openAICompletions, .openAIResponses:
            [.post]
        }
    }
}

extension HTTPMethod {
    /// The methods of every path that can be read.
    static let reading: [HTTPMethod] = [.get, .head]

    /// All methods that any path supports: the reply to "OPTIONS *".
    static let served: [HTTPMethod] = reading + [.post, .delete]

    /// Whether RFC 9110 or 5789 defines it. Other methods are not implemented on any path.
    var isStandard: Bool {
        [.get, .head, .post, .put, .patch, .delete, .options, .trace].contains(self)
    }
}

extension Response {
    /// The reply to OPTIONS.
    static func options(_ methods: [HTTPMethod]) -> Response {
        Response(.noContent, headers: [.allow: allowing(methods)])
    }

    /// The error for a method that the path does not support.
    static func refusal(of method: HTTPMethod, allowing methods: [HTTPMethod]) -> Response {
        Response(
            method.isStandard ? .methodNotAllowed : .notImplemented,
            headers: [.allow: allowing(methods)]
        )
    }

    private static func allowing(_ methods: [HTTPMethod]) -> String {
        (methods + [.options]).map(\.name).joined(separator: ", ")
    }
}
