// The server and the user of a transfer, signed in with the tokens that `stoa chat` stores.

import ArgumentParser
import HTTPProtocol

/// The options that name a server and a user.
struct TransferServerArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Server: a URL, or a profile. [STOA_SERVER]", valueName: "URL"))
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
        try ServerChoice(server: server, user: user).server
    }

    /// The header field that authenticates the request.
    func credentials(for url: HTTPOrigin) throws -> HTTPHeaders {
        guard let token = try ServerChoice(server: server, user: user).token else {
            throw CommandFailure(.noPermission, "not signed in: run stoa login \(url) first")
        }
        return [.authorization: "Bearer \(token)"]
    }
}
