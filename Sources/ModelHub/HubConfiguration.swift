// Where the hub is, where the cache is, and who asks: the environment that other tools of the hub read.

import FoundationEssentials

/// The settings of a pull.
public struct HubConfiguration: Sendable {
    /// The hub.
    let endpoint: HubURL
    /// The cache, which holds one folder for each model.
    public let cacheFolder: String
    let token: String?
    let isOffline: Bool
    /// The wait before the second attempt; it doubles from attempt to attempt.
    public var retryDelay: Duration = .milliseconds(500)
    /// How many attempts in a row may bring nothing.
    public var attemptsMax = 6
    /// How long a host may stay silent.
    public var silenceLimit: Duration = .seconds(30)

    /// Reads HF_ENDPOINT, HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, HF_TOKEN and HF_HUB_OFFLINE.
    /// - Throws: `badSetting`.
    public init(environment: [String: String]) throws(HubError) {
        func setting(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        var address = setting("HF_ENDPOINT") ?? "https://huggingface.co"
        while address.hasSuffix("/") { address.removeLast() }
        guard let url = HubURL(address) else {
            throw .badSetting("HF_ENDPOINT: “\(address)” is not an http or https URL")
        }
        endpoint = url
        let caches = setting("XDG_CACHE_HOME") ?? setting("HOME").map { "\($0)/.cache" }
        let home = setting("HF_HOME") ?? caches.map { "\($0)/huggingface" }
        guard let folder = setting("HF_HUB_CACHE") ?? home.map({ "\($0)/hub" }) else {
            throw .badSetting("there is no HOME: set HF_HUB_CACHE to the cache's folder")
        }
        cacheFolder = folder
        let file = home.flatMap { FileManager.default.contents(atPath: "\($0)/token") }
        let written = file.map { String(decoding: $0.prefix(4096), as: UTF8.self) }
        let found = setting("HF_TOKEN") ?? written
        let token = found?.filter { !$0.isWhitespace }
        self.token = token.flatMap { $0.isEmpty ? nil : $0 }
        let offline = setting("HF_HUB_OFFLINE")?.uppercased() ?? ""
        isOffline = ["1", "ON", "YES", "TRUE"].contains(offline)
    }

    /// The path of something on the hub, below the endpoint's own.
    func url(_ path: String) -> HubURL {
        let base = endpoint.target == "/" ? "" : endpoint.target
        return endpoint.with(target: base + path)
    }
}
