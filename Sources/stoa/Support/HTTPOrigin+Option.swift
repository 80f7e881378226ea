// The server that a command asks.

import ArgumentParser
import FoundationEssentials
import HTTPProtocol

extension HTTPOrigin {
    /// The server of the option `--server`; without it that of STOA_SERVER, or this machine's.
    /// - Parameters:
    ///   - option: the option's value.
    ///   - environment: the process' environment.
    /// - Throws: `ValidationError` if it is not a URL of a server.
    init(
        server option: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let text = option ?? environment["STOA_SERVER"] ?? "http://127.0.0.1:8080"
        guard let origin = HTTPOrigin(text) else {
            throw ValidationError("--server: “\(text)” is not a URL of scheme, host and port")
        }
        self = origin
    }
}
