// `stoa logout`: ends a sign-in, and forgets it.

import ArgumentParser
import ChatClient
import EventLoop
import FoundationEssentials
import HTTPProtocol
import TerminalText

/// `stoa logout`.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out, and forget the token.",
        discussion: "An API key is forgotten, and stays valid: revoke it on the account page."
    )

    @Argument(help: ArgumentHelp("Server or profile; the current one if absent.", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("User to sign out.", valueName: "NAME"))
    var user: String?

    func run() async throws {
        var environment = ProcessInfo.processInfo.environment
        environment["STOA_TOKEN"] = nil
        let choice = try ServerChoice(server: server, user: user, environment: environment)
        guard let name = choice.profile, let token = choice.token else {
            throw CommandFailure(.notFound, "there is no sign-in at \(choice.server)")
        }
        do {
            try await ServerArguments.reportingFailures(of: choice.server) {
                try await EventLoop.run { loop in
                    try await HTTPClient(loop: loop, server: choice.server).signOut(token)
                }
            }
        } catch let failure as CommandFailure where failure.status == .noPermission {
            // It has ended before, or it is an API key.
        }
        try choice.store?.remove(name)
        StandardStreams.print("signed out \(name)")
    }
}
