// A connection to a running server, signed in like `stoa chat`, with the same profiles.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol
import TerminalText

/// The server and the user.
struct ServerArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Server: a URL, or a profile. [STOA_SERVER]", valueName: "URL"))
    var server: String?

    @Option(help: ArgumentHelp("Name to sign in with.", valueName: "NAME"))
    var user: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    /// The help text about signing in.
    static let help = """
        Signs in with STOA_TOKEN, or else as “stoa login” did, or else as “stoa login” does.
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
            throw CommandFailure(.noPermission, "session expired: sign in with stoa login")
        }
    }

    private func attempt<Success: Sendable>(
        _ body: @escaping @Sendable (ChatClient) async throws -> Success
    ) async throws -> Success {
        let choice = try ServerChoice(server: server, user: user)
        if let token = choice.token, choice.isTokenGiven || !passwordStdin {
            do {
                return try await Self.connected(to: choice.server, token, body)
            } catch is SignInEnded where Terminal.isInput && !choice.isTokenGiven {
                StandardStreams.printError("The session of \(choice.user ?? "") has expired.")
            }
        }
        let reply = try await Self.reportingFailures(of: choice.server) {
            try await InteractiveSignIn(
                server: choice.server,
                user: choice.user,
                way: InteractiveSignIn.way(user: user, passwordStdin: passwordStdin)
            ).run()
        }
        try choice.store?.save(reply.token, for: choice.server, user: reply.user.name)
        return try await Self.connected(to: choice.server, reply.token, body)
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

    /// Maps the client's errors to failures of a command.
    static func reportingFailures<Success>(
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
struct SignInEnded: Error {}
