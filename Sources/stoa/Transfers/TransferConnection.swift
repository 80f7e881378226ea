// The server and the user of a transfer, signed in with the tokens that `stoa chat` stores.

import ArgumentParser
import ChatClient
import FoundationEssentials
import HTTPProtocol

/// The options that name a server and a user.
struct TransferServerArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Server to connect to. [STOA_SERVER]", valueName: "URL"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "User whose sign-in is used; with --database, the account.",
            valueName: "NAME"
        )
    )
    var user: String?

    /// The server.
    func url() throws -> HTTPOrigin {
        try HTTPOrigin(server: server)
    }

    /// The header field that authenticates the request.
    func credentials(for url: HTTPOrigin) throws -> HTTPHeaders {
        let environment = ProcessInfo.processInfo.environment
        var token = environment["STOA_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        if token == nil {
            token = TokenStore(environment: environment)?.token(for: url, user: user)?.token
        }
        guard let token else {
            throw CommandFailure(
                .noPermission,
                "not signed in: run stoa chat --server \(url) first"
            )
        }
        return [.authorization: "Bearer \(token)"]
    }
}
