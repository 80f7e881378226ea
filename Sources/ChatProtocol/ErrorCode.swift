// The closed list of error codes: what a client may be told went wrong, and whether to try again.
// docs/reference/errors.md is tested against this list.

/// Why a request was refused.
public enum ErrorCode: String, Codable, Sendable, CaseIterable {
    /// The frame is no JSON object, or a field is missing or of the wrong type.
    case badRequest = "bad_request"
    /// No operation of that name.
    case unknownOp = "unknown_op"
    /// Sign in first.
    case unauthenticated
    /// The name or the password is wrong.
    case wrongCredentials = "wrong_credentials"
    /// The asker may see the thing, but not do this to it.
    case forbidden
    /// No such thing, or none that the asker may see.
    case notFound = "not_found"
    /// The same key was used with another request, or the name is taken.
    case conflict
    /// A text, a list or a number of things is over its limit.
    case limitExceeded = "limit_exceeded"
    /// Too many requests in too short a time.
    case rateLimited = "rate_limited"
    /// The message alone is longer than the model's context.
    case contextExceeded = "context_exceeded"
    /// The answer does not fit into what its asker, or the conversation's team, may use.
    case budgetExceeded = "budget_exceeded"
    /// The queue of waiting answers is full.
    case busy
    /// The engine failed on this answer.
    case engineFailed = "engine_failed"
    /// The database is away; nothing was changed.
    case unavailable
    /// The server failed; its log says why.
    case internalError = "internal"

    /// Whether the same request may succeed later, unchanged.
    public var isRetryable: Bool {
        switch self {
        case .rateLimited, .busy, .unavailable, .internalError, .engineFailed: true
        case .badRequest, .unknownOp, .unauthenticated, .wrongCredentials, .forbidden, .notFound,
            .conflict, .limitExceeded, .contextExceeded:
            false
        // Not for hours or days: nobody's client should keep a text back for so long.
        case .budgetExceeded: false
        }
    }

    /// The HTTP status that carries this error (RFC 9110, section 15).
    public var httpStatus: Int {
        switch self {
        case .badRequest, .unknownOp: 400
        case .unauthenticated, .wrongCredentials: 401
        case .forbidden: 403
        case .notFound: 404
        case .conflict: 409
        case .limitExceeded, .contextExceeded: 413
        case .rateLimited, .budgetExceeded: 429
        case .internalError, .engineFailed: 500
        case .busy, .unavailable: 503
        }
    }
}

/// What a client is told of a failure: `{"code":…,"message":…,"retry_after":…}`.
public struct WireError: Error, Codable, Hashable, Sendable {
    /// What kind of failure.
    public var code: ErrorCode
    /// A sentence for a person. Never holds internal text or another user's data.
    public var message: String
    /// Seconds to wait before trying again, where trying again makes sense.
    public var retryAfter: Double?

    /// Puts an error together.
    public init(_ code: ErrorCode, _ message: String, retryAfter: Double? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    enum CodingKeys: String, CodingKey {
        case code, message
        case retryAfter = "retry_after"
    }
}
