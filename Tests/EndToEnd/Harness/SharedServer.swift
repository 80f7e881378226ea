// A server for all tests of a suite, each with its own conversations: signing up ten users takes
// seconds, by design of the password hash.

import Testing

/// Starts one server with some users, and stops it after the suite's last test.
struct SharedServer: SuiteTrait, TestScoping {
    @TaskLocal static var current: StoaServer?
    /// The users' tokens by name.
    @TaskLocal static var tokens: [String: String] = [:]

    let users: [String]
    let administrator: String?
    let arguments: [String]

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let server = try StoaServer(arguments)
        var tokens: [String: String] = [:]
        for user in users + [administrator].compactMap(\.self) {
            try server.addUser(user, isAdmin: user == administrator)
            tokens[user] = try server.signIn(user)
        }
        try await Self.$current.withValue(server) {
            try await Self.$tokens.withValue(tokens) { try await function() }
        }
        let end = try server.stop()
        #expect(end == .exited(0), "\(server.log)")
    }

    /// The suite's server.
    static func server() throws -> StoaServer { try #require(current) }

    /// A new connection of one of the suite's users.
    static func connect(_ user: String) throws -> Peer {
        try server().connect(try #require(tokens[user]))
    }
}

extension Trait where Self == SharedServer {
    /// One server for the suite.
    static func server(
        users: [String],
        administrator: String? = nil,
        _ arguments: [String] = []
    ) -> Self {
        Self(users: users, administrator: administrator, arguments: arguments)
    }
}
