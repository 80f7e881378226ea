// The complete list of error codes: what went wrong, and whether a retry may help.
// docs/reference/errors.md is tested against this list.

/// Why a request was refused.
public enum ErrorCode: String, Codable, Sendable, CaseIterable {
    /// The frame is not a JSON object, or a field is missing or has the wrong type.
    case badRequest = "bad_request"
    /// Unknown operation.
    case unknownOp = "unknown_op"
    /// Sign in first.
    case unauthenticated
    /// The name or the password is wrong.
    case wrongCredentials = "wrong_credentials"
    /// The asker may see the object, but not do this.
    case forbidden
    /// The object does not exist, or the asker may not see it.
    case notFound = "not_found"
    /// The same key was used for a different request, or the name is taken.
    case conflict
    /// A text, a list or a count exceeds its limit.
    case limitExceeded = "limit_exceeded"
    /// Too many requests in a short time.
    case rateLimited = "rate_limited"
    /// The message alone is longer than the model's context.
    case contextExceeded = "context_exceeded"
    /// The answer exceeds the token budget of its user or of the conversation's team.
    case budgetExceeded = "budget_exceeded"
    /// The queue is full.
    case busy
    /// The engine failed on this answer.
    case engineFailed = "engine_failed"
    /// Database unavailable; no changes were made.
    case unavailable
    /// Internal server error: see the server log.
    case internalError = "internal"

    /// Whether the same request may succeed on a retry.
    public var isRetryable: Bool {
        switch self {
        case .rateLimited, .busy, .unavailable, .internalError, .engineFailed: true
        case .badRequest, .unknownOp, .unauthenticated, .wrongCredentials, .forbidden, .notFound,
            .conflict, .limitExceeded, .contextExceeded:
            false
        // Waiting may take hours or days: clients should not hold a text back for so long.
        case .budgetExceeded: false
        }
    }

    /// The HTTP status for this error (RFC 9110, section 15).
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

/// An error as clients receive it: `{"code":…,"message":…,"retry_after":…}`.
public struct WireError: Error, Codable, Hashable, Sendable {
    /// The kind of error.
    public var code: ErrorCode
    /// A sentence for people, without internals or other users' data.
    public var message: String
    /// Seconds to wait before a retry, if a retry may help.
    public var retryAfter: Double?

    /// Creates an error.
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
