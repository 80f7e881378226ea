// A short connection to a running server, signed in like `stoa chat`, with the same stored tokens.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import FoundationEssentials
import HTTPProtocol

/// The server and the user.
struct ServerArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Server to connect to. [STOA_SERVER]", valueName: "URL"))
    var server: String?

    @Option(help: ArgumentHelp("Name to sign in with.", valueName: "NAME"))
    var user: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    /// The help text about signing in.
    static let help = """
        Signs in with STOA_TOKEN, or else with a stored token, or else with name and password.
        """

    /// Runs `body` with a connection, and closes it.
    /// - Throws: `CommandFailure` if the server cannot be reached, rejects the sign-in, or refuses
    ///   a request of `body`.
    func connected<Success: Sendable>(
        _ body: @escaping @Sendable (ChatClient) async throws -> Success
    ) async throws -> Success {
        do {
            return try await attempt(body)
        } catch is SignInEnded {
            throw CommandFailure(
                .noPermission,
                "session expired: sign in again with --user"
            )
        }
    }

    private func attempt<Success: Sendable>(
        _ body: @escaping @Sendable (ChatClient) async throws -> Success
    ) async throws -> Success {
        let environment = ProcessInfo.processInfo.environment
        let url = try HTTPOrigin(server: server, environment: environment)
        if let token = environment["STOA_TOKEN"], !token.isEmpty {
            return try await Self.connected(to: url, token, body)
        }
        let tokens = TokenStore(environment: environment)
        if !passwordStdin, let stored = tokens?.token(for: url, user: user) {
            do {
                return try await Self.connected(to: url, stored.token, body)
            } catch is SignInEnded where Terminal.isInput {
                StandardStreams.printError(
                    "The session of \(TerminalSanitizer.clean(stored.user)) has expired."
                )
            }
        }
        let name = try userName()
        let token = try await signIn(name, try password(of: name), at: url)
        try tokens?.save(token, for: url, user: name)
        return try await Self.connected(to: url, token, body)
    }

    private func userName() throws -> String {
        if let user { return user }
        guard Terminal.isInput else {
            throw CommandFailure(.usage, "not signed in: give --user, or set STOA_TOKEN")
        }
        StandardStreams.writeError("User: ")
        return readLine(strippingNewline: true) ?? ""
    }

    private func password(of name: String) throws -> String {
        if passwordStdin { return readLine(strippingNewline: true) ?? "" }
        guard Terminal.isInput else {
            throw CommandFailure(
                .usage,
                "no terminal to ask for the password: use --password-stdin"
            )
        }
        StandardStreams.writeError("Password of \(TerminalSanitizer.clean(name)): ")
        Terminal.setEcho(false)
        defer {
            Terminal.setEcho(true)
            StandardStreams.printError("")
        }
        return readLine(strippingNewline: true) ?? ""
    }

    private func signIn(
        _ name: String,
        _ password: String,
        at url: HTTPOrigin
    ) async throws -> String {
        try await Self.reportingFailures(of: url) {
            try await EventLoop.run { loop in
                try await HTTPClient(loop: loop, server: url)
                    .signIn(username: name, password: password).token
            }
        }
    }

    private static func connected<Success: Sendable>(
        to url: HTTPOrigin,
        _ token: String,
        _ body: @escaping @Sendable (ChatClient) async throws -> Success
    ) async throws -> Success {
        try await reportingFailures(of: url) {
            try await EventLoop.run { loop in
                let client = ChatClient(
                    loop: loop,
                    configuration: ChatClient.Configuration(server: url, token: token)
                )
                defer { client.close() }
                try await open(client)
                return try await body(client)
            }
        }
    }

    /// Connects; the first failure ends the attempt.
    private static func open(_ client: ChatClient) async throws(ChatClientError) {
        let first = LoopPromise<Void, ChatClientError>(client.loop)
        client.onState = { state in
            switch state {
            case .connecting: break
            case .connected: first.succeed(())
            case .waiting(_, let error), .ended(let error): first.fail(error)
            }
        }
        client.start()
        try await first.value { first.fail(.closed) }
        client.onState = nil
    }

    private static func reportingFailures<Success>(
        of url: HTTPOrigin,
        _ body: () async throws -> Success
    ) async throws -> Success {
        do { return try await body() } catch ChatClientError.network(let error) {
            throw CommandFailure(.unavailable, "cannot reach \(url): \(error)")
        } catch ChatClientError.signInNeeded {
            throw SignInEnded()
        } catch let error as ChatClientError {
            throw CommandFailure(error)
        }
    }
}

/// The token is no longer valid.
private struct SignInEnded: Error {}
