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

    /// The model named `name`, for commands that take all that the cache has of it.
    static func model(_ name: String) throws -> ModelName {
        let target = try reportingFailures { () throws(HubError) in try PullTarget(name) }
        guard target.gguf == nil else {
            throw CommandFailure(
                .usage,
                "\(target) is one file of \(target.name), and this command takes all of them: name"
                    + " \(target.name)"
            )
        }
        return target.name
    }

    /// Converts a `HubError` of `body` to a `CommandFailure`.
    static func reportingFailures<Success>(
        _ body: () throws(HubError) -> Success
    ) throws -> Success {
        do throws(HubError) { return try body() } catch { throw CommandFailure(error) }
    }
}
