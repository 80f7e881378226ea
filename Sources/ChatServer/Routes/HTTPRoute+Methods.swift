// Which methods a path takes: what `Allow` says, what OPTIONS answers, and what 405 and 501 go by
// (RFC 9110, sections 9 and 10.2.1).

import ChatProtocol
import HTTPProtocol

extension HTTPRoute {
    /// The methods that the route answers, beside OPTIONS.
    var methods: [HTTPMethod] {
        switch self {
        case .webSocket, .liveness, .readiness, .metrics, .openIDStart, .openIDCallback,
            .conversationExport, .transferExport, .receipt, .shared:
            HTTPMethod.reading
        case .session: HTTPMethod.reading + [.post, .delete]
        case .signUp, .passwordReset, .transferImport: [.post]
        }
    }
}

extension HTTPMethod {
    /// Those of every path that can be read.
    static let reading: [HTTPMethod] = [.get, .head]

    /// All that some path takes: the answer to "OPTIONS *".
    static let served: [HTTPMethod] = reading + [.post, .delete]

    /// Whether RFC 9110 or 5789 defines it. Others are not implemented, on any path.
    var isStandard: Bool {
        [.get, .head, .post, .put, .patch, .delete, .options, .trace].contains(self)
    }
}

extension Response {
    /// The answer to OPTIONS.
    static func options(_ methods: [HTTPMethod]) -> Response {
        Response(.noContent, headers: [.allow: allowing(methods)])
    }

    /// The answer to a method that the path does not take.
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
