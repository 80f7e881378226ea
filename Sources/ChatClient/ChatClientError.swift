// Why a client did not get what it asked for.

public import ChatProtocol
public import HTTPProtocol
public import Networking

/// A failure of the client library.
public enum ChatClientError: Error, Sendable {
    /// The server refused the request, and says why.
    case refused(WireError)
    /// No reply came in time.
    case timedOut
    /// The connection ended before the reply came. What was asked may have happened: ask again with
    /// the same key.
    case connectionLost
    /// The server asked not to come back, with this close code.
    case turnedAway(code: UInt16, reason: String)
    /// The token is not valid, or not any more: sign in again.
    case signInNeeded
    /// No connection could be made.
    case network(NetworkError)
    /// The server's HTTP is malformed.
    case http(HTTPError)
    /// The server answered with this status, and nothing that explains it.
    case status(HTTPStatus)
    /// What came is no reply of protocol v1; the text says what is wrong with it.
    case malformed(String)
    /// The client was closed.
    case closed
}

extension ChatClientError: CustomStringConvertible {
    /// One line for people.
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

    /// Whether the same request may succeed on another connection, or later.
    public var isRetryable: Bool {
        switch self {
        case .refused(let error): error.code.isRetryable
        // Cut off before the WebSocket was open, as by a proxy whose server is down.
        case .timedOut, .connectionLost, .network, .http(.truncated): true
        // A proxy before a server that restarts.
        case .status(let status): status.code >= 500
        case .turnedAway, .signInNeeded, .http, .malformed, .closed: false
        }
    }
}
