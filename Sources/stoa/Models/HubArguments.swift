// What the commands about the hub and its cache have in common.

import FoundationEssentials
import ModelHub

enum HubArguments {
    /// The variables, for each command's help.
    static let help = """
        Environment: HF_HOME, HF_HUB_CACHE, HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE.
        """

    /// The settings that the environment makes.
    static func configuration() throws -> HubConfiguration {
        try reportingFailures {
            () throws(HubError) in
            try HubConfiguration(environment: ProcessInfo.processInfo.environment)
        }
    }

    /// The model that `name` stands for.
    static func model(_ name: String) throws -> ModelName {
        try reportingFailures { () throws(HubError) in try ModelName(name) }
    }

    /// Turns a `HubError` of `body` into the failure of a command.
    static func reportingFailures<Success>(
        _ body: () throws(HubError) -> Success
    ) throws -> Success {
        do throws(HubError) { return try body() } catch { throw CommandFailure(error) }
    }
}
