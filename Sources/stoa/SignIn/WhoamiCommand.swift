// `stoa whoami`: the user and the server of a sign-in.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol
import TerminalText

/// `stoa whoami`.
struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Print who is signed in, and where.",
        discussion: "The exit status is 77 if nobody is, or the sign-in has ended."
    )

    /// What `--json` prints.
    private struct Answer: Encodable {
        let user: User
        let server: String
        let profile: String?
    }

    @OptionGroup var output: OutputArguments
    @OptionGroup var place: TransferServerArguments

    func run() async throws {
        let choice = try ServerChoice(server: place.server, user: place.user)
        guard let token = choice.token else {
            throw CommandFailure(.noPermission, "not signed in at \(choice.server)")
        }
        let user = try await ServerArguments.reportingFailures(of: choice.server) {
            try await EventLoop.run { loop in
                try await HTTPClient(loop: loop, server: choice.server).user(of: token)
            }
        }
        if output.json {
            output.print(
                Answer(user: user, server: "\(choice.server)", profile: choice.profile)
            )
        } else if !output.quiet {
            let profile = choice.profile.map { " (\($0))" } ?? ""
            StandardStreams.print("\(user.name) at \(choice.server)\(profile)")
        }
    }
}
