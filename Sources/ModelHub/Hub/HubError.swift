// Why a model could not be fetched, found or removed, and what to do.

public import EventLoop
public import HTTPProtocol
public import Networking

/// A failed pull or cache access.
public enum HubError: Error, Sendable {
    /// Neither a name of the registry nor `organization/name`.
    case badName(String)
    /// Not a valid branch, tag or commit.
    case badRevision(String)
    /// An environment variable has an invalid value.
    case badSetting(String)
    /// Offline mode is on, and the cache does not hold the complete model.
    case offline(ModelName, missing: String)
    /// The cache holds nothing of the model.
    case notCached(ModelName)
    /// A host could not be reached or timed out.
    case network(host: String, NetworkError)
    /// A host closed the connection early or does not speak HTTP.
    case http(host: String, HTTPError)
    /// A host kept failing until all retries were used.
    case unavailable(host: String, HTTPStatus, retryAfter: Duration?)
    /// A host kept sending other bytes of a file than requested.
    case wrongRange(file: String, String)
    /// The model does not exist, or is private.
    case modelNotFound(ModelName, hasToken: Bool)
    /// The model has no such branch, tag or commit.
    case revisionNotFound(ModelName, revision: String)
    /// The model has no such file.
    case fileNotFound(ModelName, file: String)
    /// The model's license must be accepted first.
    case gated(ModelName, hasToken: Bool)
    /// The hub rejects the token.
    case badToken
    /// The repository holds no model that the engine can read.
    case notAModel(ModelName, String)
    /// The hub sent an invalid response.
    case badResponse(String)
    /// The file's checksum was wrong at each attempt; the file was removed.
    case wrongChecksum(file: String, fetches: Int)
    /// The files do not fit into the cache's file system.
    case tooLittleSpace(folder: String, neededBytes: Int, freeBytes: Int)
    /// The cache could not be read or written.
    case disk(SystemError)
    /// The task was cancelled; the next pull resumes.
    case cancelled

    /// Whether a retry can help.
    var isTransient: Bool {
        switch self {
        case .network(_, let error): error != .cancelled
        case .http, .unavailable, .wrongRange: true
        default: false
        }
    }
}

extension HubError: CustomStringConvertible {
    /// One line for a terminal.
    public var description: String {
        switch self {
        case .badName(let name):
            "“\(name)” is neither a known model (\(Self.known)) nor an id like org/name"
        case .badRevision(let name): "“\(name)” is not a valid branch, tag or commit"
        case .badSetting(let words): words
        case .offline(let name, let missing):
            "\(name): the cache lacks \(missing), and offline mode is on (HF_HUB_OFFLINE)"
        case .notCached(let name): "\(name) is not in the cache: fetch it with stoa model pull"
        case .network(let host, let error): "\(host) cannot be reached: \(error)"
        case .http(let host, let error): "incomplete response from \(host): \(error)"
        case .unavailable(let host, let status, _):
            "\(host) responded with \(status): try again later"
        case .wrongRange(let file, let words):
            "\(file): \(words), after several attempts: try again later"
        case .modelNotFound(let name, let hasToken):
            hasToken
                ? "\(name) does not exist, or the token has no access to it: check the name"
                : "\(name) does not exist or is private: check the name, or set HF_TOKEN"
        case .revisionNotFound(let name, let revision):
            "\(name) has no branch, tag or commit “\(revision)”; the usual branch is main"
        case .fileNotFound(let name, let file): "\(name) has no file \(file)"
        case .gated(let name, let hasToken):
            hasToken
                ? "\(name) is gated: accept its terms on its page on the hub, then pull again"
                : "\(name) is gated: accept its terms on its page on the hub, then set HF_TOKEN"
        case .badToken: "the hub rejects the token: check HF_TOKEN or the token file"
        case .notAModel(let name, let words): "\(name) is not a supported model: \(words)"
        case .badResponse(let words): "invalid response from the hub: \(words)"
        case .wrongChecksum(let file, let fetches):
            "checksum mismatch of \(file) after \(fetches) downloads: pull again later"
        case .tooLittleSpace(let folder, let needed, let free):
            """
            not enough space in \(folder): \(ByteCount(needed)) needed, \(ByteCount(free)) free: \
            free some, or set HF_HUB_CACHE to another folder
            """
        case .disk(let error): "the cache cannot be used: \(error)"
        case .cancelled: "cancelled; the next pull resumes"
        }
    }

    private static var known: String { ModelName.registry.keys.sorted().joined(separator: ", ") }
}
