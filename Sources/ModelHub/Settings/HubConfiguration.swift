// Where the hub is, where the cache is, and who asks.

import FoundationEssentials
import HTTPProtocol

/// The settings of a pull.
public struct HubConfiguration: Sendable {
    /// The hub.
    let endpoint: HTTPURL
    /// The cache, which holds one folder for each model.
    public let cacheFolder: String
    /// What the hub, and nobody else, is shown.
    let token: String?
    /// Whether nothing may be asked of anybody: models come from the cache or not at all.
    public var isOffline = false
    /// How many connections fetch at once.
    public var connections = 4
    /// When a failed request is made again.
    public var retry = RetryPolicy()
    /// How long the hub may take for the next bytes of an answer about a model.
    public var metadataTimeout = Duration.seconds(10)
    /// How long a host may take for the next bytes of a file, or to be connected to.
    public var downloadTimeout = Duration.seconds(10)
    /// How often a file that arrives damaged is fetched.
    public var fetchesMax = 3
    /// The least and the most bytes of a piece that is fetched at once.
    package var pieceBytes = 1 << 20...16 << 20
    /// How many bytes fit into the file system of a folder; nil where nobody knows.
    package var freeBytes: @Sendable (String) -> Int? = FreeSpace.bytes

    /// Settings that come from elsewhere than the environment.
    /// - Parameters:
    ///   - endpoint: the hub's `http` or `https` URL.
    ///   - cacheFolder: the cache's absolute path.
    ///   - token: what the hub knows the asker by.
    /// - Throws: `badSetting` where `endpoint` is no URL.
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

    /// The path of something on the hub, below the endpoint's own.
    func url(_ path: String) -> HTTPURL {
        let base = endpoint.target == "/" ? "" : endpoint.target
        return HTTPURL(endpoint.origin, target: base + path)
    }
}
