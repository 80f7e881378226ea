// Settings of a pull: the hub, the cache, the token.

import FoundationEssentials
import HTTPProtocol

/// The settings of a pull.
public struct HubConfiguration: Sendable {
    /// The hub's URL.
    let endpoint: HTTPURL
    /// The cache's folder, which holds one folder for each model.
    public let cacheFolder: String
    /// The access token, sent to the hub only.
    let token: String?
    /// Whether to use only the cache and make no requests.
    public var isOffline = false
    /// The number of concurrent connections.
    public var connections = 4
    /// When to retry a failed request.
    public var retry = RetryPolicy()
    /// Maximum time without bytes of a metadata response.
    public var metadataTimeout = Duration.seconds(10)
    /// Maximum time without bytes of a file, or for connecting.
    public var downloadTimeout = Duration.seconds(10)
    /// How often to fetch a file that arrives damaged.
    public var fetchesMax = 3
    /// Minimum and maximum piece length in bytes.
    package var pieceBytes = 1 << 20...16 << 20
    /// Free bytes in the file system of a folder; nil if unknown.
    package var freeBytes: @Sendable (String) -> Int? = FreeSpace.bytes

    /// Settings from a source other than the environment.
    /// - Parameters:
    ///   - endpoint: the hub's `http` or `https` URL.
    ///   - cacheFolder: the cache's absolute path.
    ///   - token: the hub's access token.
    /// - Throws: `badSetting` if `endpoint` is not an http or https URL.
    public init(
        endpoint: String = "https://huggingface.co",
        cacheFolder: String,
        token: String? = nil
    ) throws(HubError) {
        var address = endpoint
        while address.hasSuffix("/") { address.removeLast() }
        guard let url = HTTPURL(address) else {
            throw .badSetting("HF_ENDPOINT: “\(endpoint)” is not an http or https URL")
        }
        self.endpoint = url
        self.cacheFolder = cacheFolder
        self.token = token
    }

    /// The URL of `path` below the endpoint's own path.
    func url(_ path: String) -> HTTPURL {
        let base = endpoint.target == "/" ? "" : endpoint.target
        return HTTPURL(endpoint.origin, target: base + path)
    }
}
