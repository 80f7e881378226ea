// Errors of OpenAI's API: their HTTP status, and their JSON.
// https://platform.openai.com/docs/guides/error-codes

public import ChatProtocol

/// Why a request was refused, as clients of OpenAI's API receive it.
public struct APIError: Error, Sendable, Hashable {
    /// The kind, as clients distinguish them.
    public enum Kind: String, Sendable, Hashable {
        /// The request is wrong: change it.
        case invalidRequest = "invalid_request_error"
        /// The API key may not do that.
        case permission = "permission_error"
        /// Too many requests: wait.
        case requests
        /// A token budget is used up.
        case insufficientQuota = "insufficient_quota"
        /// The server failed, or is not ready: try again.
        case server = "server_error"
    }

    /// The HTTP status.
    public var status: Int
    /// The kind.
    public var kind: Kind
    /// A sentence for people.
    public var message: String
    /// The field of the request that is wrong, such as `messages[0].content`; nil for none.
    public var parameter: String?
    /// The error's name for programs; nil for none.
    public var code: String?
    /// Seconds to wait before a retry, if a retry may help.
    public var retryAfter: Double?

    /// Creates an error.
    public init(
        _ status: Int,
        _ kind: Kind,
        _ message: String,
        parameter: String? = nil,
        code: String? = nil,
        retryAfter: Double? = nil
    ) {
        self.status = status
        self.kind = kind
        self.message = message
        self.parameter = parameter
        self.code = code
        self.retryAfter = retryAfter
    }

    /// Whether a client may send the same request again by itself. Clients of OpenAI's API repeat
    /// requests with the statuses 408, 409, 429 and 5xx unless they are told not to.
    public var mayBeRepeated: Bool {
        kind == .requests || kind == .server && code != Code.stopped
    }

    /// Names of errors.
    public enum Code {
        /// The text and the answer do not fit into the model's context.
        public static let contextLengthExceeded = "context_length_exceeded"
        /// The answer was stopped before its end.
        public static let stopped = "answer_stopped"
    }
}

extension APIError {
    /// An error of a field.
    public static func invalid(
        _ parameter: String,
        _ problem: String,
        code: String = "invalid_value"
    ) -> APIError {
        APIError(
            400,
            .invalidRequest,
            "\(parameter): \(problem)",
            parameter: parameter,
            code: code
        )
    }

    /// The error for a field of OpenAI's API that this server does not support.
    public static func unsupported(
        _ parameter: String,
        _ problem: String = "this server does not support it; leave it out"
    ) -> APIError {
        invalid(parameter, problem, code: "unsupported_parameter")
    }

    /// The error for a model that this server does not have.
    public static func noModel(_ name: String) -> APIError {
        APIError(
            404,
            .invalidRequest,
            "there is no model \"\(name.prefix(200))\": GET /v1/models lists the models",
            parameter: "model",
            code: "model_not_found"
        )
    }

    /// The error for a response that is not stored, or is another user's.
    /// - Parameters:
    ///   - id: its id.
    ///   - parameter: the field that names it; nil if the path does.
    /// - Returns: the error.
    public static func noResponse(_ id: String, parameter: String?) -> APIError {
        APIError(
            parameter == nil ? 404 : 400,
            .invalidRequest,
            "there is no response \"\(id.prefix(200))\": it may have expired, or was not stored",
            parameter: parameter,
            code: parameter == nil ? "not_found" : "previous_response_not_found"
        )
    }

    /// The error for an answer that was stopped by a user, an administrator, or a client that
    /// closed its connection.
    public static let stopped = APIError(
        409,
        .server,
        "the answer was stopped before its end",
        code: Code.stopped
    )

    /// The same error as the server's other interfaces report it.
    public init(_ error: WireError) {
        let (status, kind, code): (Int, Kind, String?) =
            switch error.code {
            case .badRequest, .unknownOp: (400, .invalidRequest, nil)
            case .unauthenticated, .wrongCredentials: (401, .invalidRequest, "invalid_api_key")
            case .forbidden: (403, .permission, "insufficient_permissions")
            case .notFound: (404, .invalidRequest, "not_found")
            case .conflict: (409, .invalidRequest, "conflict")
            case .limitExceeded: (413, .invalidRequest, "limit_exceeded")
            case .contextExceeded: (400, .invalidRequest, Code.contextLengthExceeded)
            case .rateLimited, .busy: (429, .requests, "rate_limit_exceeded")
            case .budgetExceeded: (429, .insufficientQuota, "insufficient_quota")
            case .unavailable: (503, .server, nil)
            case .engineFailed, .internalError: (500, .server, nil)
            }
        self.init(
            status,
            kind,
            error.message,
            parameter: error.code == .contextExceeded ? "messages" : nil,
            code: code,
            retryAfter: error.retryAfter
        )
    }
}

extension APIError: Encodable {
    private enum Envelope: String, CodingKey { case error }
    private enum Key: String, CodingKey { case message, type, param, code }

    /// Writes `{"error":{"message":…,"type":…,"param":…,"code":…}}`.
    public func encode(to encoder: any Encoder) throws {
        var envelope = encoder.container(keyedBy: Envelope.self)
        var body = envelope.nestedContainer(keyedBy: Key.self, forKey: .error)
        try body.encode(message, forKey: .message)
        try body.encode(kind.rawValue, forKey: .type)
        try body.encode(parameter, forKey: .param)
        try body.encode(code, forKey: .code)
    }
}
