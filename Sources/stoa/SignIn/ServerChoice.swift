// The server and the user that a command works with: options, then the environment, then profiles.

import ArgumentParser
import FoundationEssentials
package import HTTPProtocol

/// A server, and what is known of the sign-in.
package struct ServerChoice: Sendable {
    /// The server.
    package let server: HTTPOrigin
    /// The user's name; nil if it is not known.
    package let user: String?
    /// A token to try first: of the environment, or stored.
    package let token: String?
    /// Whether the token is the environment's, so that no other sign-in takes its place.
    package let isTokenGiven: Bool
    /// The name of the profile; nil if there is none.
    package let profile: String?
    /// Where sign-ins are stored; nil if there is no home.
    package let store: ProfileStore?

    /// Chooses.
    /// - Parameters:
    ///   - option: the option `--server`: a URL, or a profile's name.
    ///   - user: the option `--user`.
    ///   - environment: the process' environment.
    /// - Throws: `ValidationError` if `server` is neither.
    package init(
        server option: String?,
        user: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let store = ProfileStore(environment: environment)
        let text = option ?? environment["STOA_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
        var profile: Profile?
        if let text {
            // A name is also a URL's host, so profiles come first.
            if let named = store?.profile(named: text), let origin = HTTPOrigin(named.server) {
                server = origin
                profile = user == nil || user == named.user ? named : nil
            } else if let origin = HTTPOrigin(text) {
                server = origin
                profile = store?.profile(at: origin, user: user)
            } else {
                throw ValidationError(
                    "--server: “\(text)” is neither a URL of scheme, host and port nor a profile"
                )
            }
        } else if let current = store?.current, let origin = HTTPOrigin(current.server) {
            server = origin
            profile =
                user == nil || user == current.user
                ? current : store?.profile(at: origin, user: user)
        } else {
            server = try HTTPOrigin(server: nil, environment: [:])
        }
        let given = environment["STOA_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        self.user = user ?? profile?.user
        self.profile = given == nil ? profile?.name : nil
        self.store = store
        token = given ?? profile?.token
        isTokenGiven = given != nil
    }
}
