// Why a model could not be fetched, in words that say what to do.

public import EventLoop
public import HTTPProtocol
public import Networking

/// A failed pull.
public enum HubError: Error, Sendable {
    /// Not a name of the registry, nor `organization/name`.
    case badName(String)
    /// A setting of the environment is wrong.
    case badSetting(String)
    /// `HF_HUB_OFFLINE` is set.
    case offline
    /// The hub, or the host that it sends to, could not be reached.
    case network(host: String, NetworkError)
    /// The host broke off or does not speak HTTP.
    case http(host: String, HTTPError)
    /// The host has trouble of its own, which retries did not outlast.
    case unavailable(host: String, HTTPStatus, retryAfter: Duration?)
    /// There is no such model, revision or file; or it is private.
    case notFound(String)
    /// The model's licence must be accepted first, or the token is missing.
    case gated(String)
    /// The hub answered with something that cannot be right.
    case badResponse(String)
    /// What arrived is not the file that was announced; it was thrown away.
    case wrongChecksum(file: String)
    /// The cache could not be written.
    case disk(SystemError)

    /// Whether another attempt can help.
    var isTransient: Bool {
        switch self {
        case .network(_, let error): error != .cancelled
        case .http, .unavailable: true
        default: false
        }
    }
}

extension HubError: CustomStringConvertible {
    /// One line for a terminal.
    public var description: String {
        switch self {
        case .badName(let name): "“\(name)” is neither a known model nor of the form org/name"
        case .badSetting(let words): words
        case .offline: "HF_HUB_OFFLINE is set: nothing is fetched"
        case .network(let host, let error): "\(host) cannot be reached: \(error)"
        case .http(let host, let error): "\(host) broke off its answer: \(error)"
        case .unavailable(let host, let status, _): "\(host) answers \(status): try again later"
        case .notFound(let what): "\(what) was not found; a private model needs HF_TOKEN"
        case .gated(let what):
            "\(what) is gated: accept its terms on the hub's page, then set HF_TOKEN"
        case .badResponse(let words): "the hub's answer is not understood: \(words)"
        case .wrongChecksum(let file): "\(file) arrived damaged and was thrown away: pull again"
        case .disk(let error): "the cache cannot be written: \(error)"
        }
    }
}
