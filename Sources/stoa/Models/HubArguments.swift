// Shared by the commands about the hub and its cache.

import FoundationEssentials
import ModelHub

enum HubArguments {
    /// The help text about environment variables.
    static let help = """
        Environment: HF_HOME, HF_HUB_CACHE, HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE.
        """

    /// The settings from the environment.
    static func configuration() throws -> HubConfiguration {
        try reportingFailures {
            () throws(HubError) in
            try HubConfiguration(environment: ProcessInfo.processInfo.environment)
        }
    }

    /// The model named `name`.
    static func model(_ name: String) throws -> ModelName {
        try reportingFailures { () throws(HubError) in try ModelName(name) }
    }

    /// Converts a `HubError` of `body` to a `CommandFailure`.
    static func reportingFailures<Success>(
        _ body: () throws(HubError) -> Success
    ) throws -> Success {
        do throws(HubError) { return try body() } catch { throw CommandFailure(error) }
    }
}
