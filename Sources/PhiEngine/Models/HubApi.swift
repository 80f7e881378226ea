// Settings of the model source that override the environment.

public import Foundation
import ModelHub

/// The hub and the cache to use. What is not given comes from HF_ENDPOINT, HF_HUB_CACHE, HF_HOME,
/// HF_TOKEN and HF_HUB_OFFLINE, the variables of the Hugging Face tools.
public struct HubApi: Sendable {
    private let overrides: [String: String]

    /// A hub with these settings.
    /// - Parameters:
    ///   - downloadBase: the cache's folder, in the layout of the Hugging Face tools.
    ///   - hfToken: the user's token, for gated and private models.
    ///   - endpoint: the hub's address.
    ///   - useOfflineMode: whether to use only the cache and make no requests.
    public init(
        downloadBase: URL? = nil,
        hfToken: String? = nil,
        endpoint: String? = nil,
        useOfflineMode: Bool? = nil
    ) {
        var overrides: [String: String] = [:]
        overrides["HF_HUB_CACHE"] = downloadBase?.path
        overrides["HF_TOKEN"] = hfToken
        overrides["HF_ENDPOINT"] = endpoint
        overrides["HF_HUB_OFFLINE"] = useOfflineMode.map { $0 ? "1" : "0" }
        self.overrides = overrides
    }

    /// The settings of a pull.
    func configuration() throws(HubError) -> HubConfiguration {
        let environment = ProcessInfo.processInfo.environment
        return try HubConfiguration(environment: environment.merging(overrides) { $1 })
    }
}
