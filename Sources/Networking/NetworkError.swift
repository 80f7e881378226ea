// Errors of network operations.

public import EventLoop
import Glibc
public import TLSEngine

/// Why a listener, a connect or a stream failed.
public enum NetworkError: Error, Hashable, Sendable {
    /// Another socket listens at this address.
    case addressInUse(SocketAddress)
    /// The address cannot be used, for example because the path is too long.
    case badAddress(String)
    /// The name has no address.
    case unknownHost(String)
    /// Connection refused, or no route to the address.
    case unreachable(SocketAddress, SystemError)
    /// The deadline passed.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// The stream is closed, or its writing side is.
    case closed
    /// The peer reset the connection.
    case reset
    /// The peer reads too slowly: more than this number of bytes would be queued.
    case writeQueueFull(byteLimit: Int)
    /// TLS failed, for example because a certificate is not trusted.
    case tls(TLSError)
    /// A system call failed.
    case system(SystemError)
}

extension NetworkError: CustomStringConvertible {
    /// One line for a log or a terminal.
    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address): address in use"
        case .badAddress(let reason): "bad address: \(reason)"
        case .unknownHost(let host): "\(host): no such host"
        case .unreachable(let address, let error): "\(address): \(error.reason)"
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .closed: "the stream is closed"
        case .reset: "connection reset by peer"
        case .writeQueueFull(let limit): "the peer reads too slowly: \(limit) bytes wait"
        case .tls(let error): error.description
        case .system(let error): error.description
        }
    }
}

extension NetworkError {
    /// The error of a stream whose read or write failed.
    static func stream(_ error: SystemError) -> NetworkError {
        switch error.errno {
        case ECONNRESET, EPIPE, ECONNABORTED: .reset
        case ETIMEDOUT: .timedOut
        default: .system(error)
        }
    }
}
