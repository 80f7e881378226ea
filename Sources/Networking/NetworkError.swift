// What can go wrong between two sockets.

public import EventLoop
import Glibc
public import TLSEngine

/// Why a listener, a connect or a stream failed.
public enum NetworkError: Error, Hashable, Sendable {
    /// Somebody listens at this address already.
    case addressInUse(SocketAddress)
    /// The address is not one that can be used here, such as a path that is too long.
    case badAddress(String)
    /// The name has no address.
    case unknownHost(String)
    /// Nobody listens there, or no way leads there.
    case unreachable(SocketAddress, SystemError)
    /// The deadline passed.
    case timedOut
    /// The task that waited was cancelled.
    case cancelled
    /// The stream is closed, or its writing side is.
    case closed
    /// The peer is gone without a farewell.
    case reset
    /// The peer does not read: more than this number of bytes would wait for it.
    case writeQueueFull(byteLimit: Int)
    /// The encryption failed, such as for a certificate that is not trusted.
    case tls(TLSError)
    /// The system refused something.
    case system(SystemError)
}

extension NetworkError: CustomStringConvertible {
    /// One line for a log or a terminal.
    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address): address in use"
        case .badAddress(let words): "bad address: \(words)"
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
    /// What a failed read or write means for its stream.
    static func stream(_ error: SystemError) -> NetworkError {
        switch error.errno {
        case ECONNRESET, EPIPE, ECONNABORTED: .reset
        case ETIMEDOUT: .timedOut
        default: .system(error)
        }
    }
}
