// The environment variables of the Hugging Face tools.

import FoundationEssentials

extension HubConfiguration {
    /// Reads HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, XDG_CACHE_HOME, HF_TOKEN, HF_TOKEN_PATH,
    /// HF_HUB_DISABLE_IMPLICIT_TOKEN, HF_HUB_OFFLINE, HF_HUB_ETAG_TIMEOUT and
    /// HF_HUB_DOWNLOAD_TIMEOUT, with their older names and the defaults of Python's client.
    /// - Throws: `badSetting`.
    public init(environment: [String: String]) throws(HubError) {
        let variables = HubVariables(environment)
        try self.init(
            endpoint: variables["HF_ENDPOINT"] ?? "https://huggingface.co",
            cacheFolder: try variables.cacheFolder(),
            token: variables.token
        )
        isOffline = variables.isOn("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
        metadataTimeout = try variables.seconds("HF_HUB_ETAG_TIMEOUT") ?? metadataTimeout
        downloadTimeout = try variables.seconds("HF_HUB_DOWNLOAD_TIMEOUT") ?? downloadTimeout
    }
}

/// Reads the hub's settings from the environment.
private struct HubVariables {
    private let environment: [String: String]
    private let paths: PathExpansion

    init(_ environment: [String: String]) {
        self.environment = environment
        paths = PathExpansion(environment: environment)
    }

    /// The value of the first of the variables `names` that is set and not empty.
    subscript(names: String...) -> String? {
        names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    /// Whether one of the variables is set to a value that huggingface_hub takes as true.
    func isOn(_ names: String...) -> Bool {
        names.contains { name in
            ["1", "ON", "YES", "TRUE"].contains(environment[name]?.uppercased() ?? "")
        }
    }

    func seconds(_ name: String) throws(HubError) -> Duration? {
        guard let text = self[name] else { return nil }
        guard let seconds = Int(text), (1...86_400).contains(seconds) else {
            throw .badSetting("\(name): “\(text)” is not a number of seconds")
        }
        return .seconds(seconds)
    }

    private var home: String? {
        let caches = self["XDG_CACHE_HOME"] ?? self["HOME"].map { "\($0)/.cache" }
        return (self["HF_HOME"] ?? caches.map { "\($0)/huggingface" }).map(paths.expand)
    }

    func cacheFolder() throws(HubError) -> String {
        let asked = self["HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"]
        guard let folder = asked.map(paths.expand) ?? home.map({ "\($0)/hub" }) else {
            throw .badSetting("HOME is not set: set HF_HUB_CACHE to the cache's folder")
        }
        guard !folder.hasPrefix("/") else { return folder }
        return "\(FileManager.default.currentDirectoryPath)/\(folder)"
    }

    var token: String? {
        guard !isOn("HF_HUB_DISABLE_IMPLICIT_TOKEN") else { return nil }
        let path = self["HF_TOKEN_PATH"].map(paths.expand) ?? home.map { "\($0)/token" }
        let file = path.flatMap { FileManager.default.contents(atPath: $0) }
        let written = file.map { String(decoding: $0.prefix(4096), as: UTF8.self) }
        let found = self["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"] ?? written
        // Removes the final line feed, and any other that would end the header field.
        let token = found?.filter { !$0.isWhitespace }
        return token.flatMap { $0.isEmpty ? nil : $0 }
    }
}
