// The client library's errors.

public import ChatProtocol
public import HTTPProtocol
public import Networking

/// A failure of the client library.
public enum ChatClientError: Error, Sendable {
    /// The server refused the request, with this error.
    case refused(WireError)
    /// No reply within the timeout.
    case timedOut
    /// The connection ended before the reply arrived. The request may have taken effect: repeat it
    /// with the same key.
    case connectionLost
    /// The server closed the connection with a code that forbids reconnecting.
    case turnedAway(code: UInt16, reason: String)
    /// The token is invalid or has expired: sign in again.
    case signInNeeded
    /// No connection could be made.
    case network(NetworkError)
    /// The server's HTTP response is malformed.
    case http(HTTPError)
    /// The server responded with this status and no error object.
    case status(HTTPStatus)
    /// The message is not a valid reply of protocol v1; the text says why.
    case malformed(String)
    /// The client was closed.
    case closed
}

extension ChatClientError: CustomStringConvertible {
    /// One line for the user.
    public var description: String {
        switch self {
        case .refused(let error): error.message
        case .timedOut: "the server did not answer in time"
        case .connectionLost: "the connection was lost"
        case .turnedAway(let code, let reason):
            "the server closed the connection (\(code)\(reason.isEmpty ? "" : ": \(reason)"))"
        case .signInNeeded: "sign in first"
        case .network(let error): error.description
        case .http(let error): "the server's answer is not HTTP (\(error))"
        case .status(let status): "the server answered \(status)"
        case .malformed(let words): "the server's answer is malformed: \(words)"
        case .closed: "the client is closed"
        }
    }
}

extension ChatClientError {
    /// The code of a refusal by the server.
    public var code: ErrorCode? {
        if case .refused(let error) = self { error.code } else { nil }
    }

    /// Whether the same request may succeed later, or on another connection.
    public var isRetryable: Bool {
        switch self {
        case .refused(let error): error.code.isRetryable
        // Ended before the WebSocket was open, for example by a proxy whose server is down.
        case .timedOut, .connectionLost, .network, .http(.truncated): true
        // A proxy whose server restarts.
        case .status(let status): status.code >= 500
        case .turnedAway, .signInNeeded, .http, .malformed, .closed: false
        }
    }
}
