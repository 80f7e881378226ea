// `stoa ready`: asks a server whether it takes requests, for health checks where there is no shell.

import ArgumentParser
import ChatClient
import EventLoop
import HTTPProtocol
import TerminalText

/// `stoa ready`.
struct ReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Ask a server whether it is ready.",
        discussion: """
            Prints the server's answer to GET /readyz. Exit status: 0 it is ready, 69 it is not, or cannot be \
            reached.
            """
    )

    @Option(help: ArgumentHelp("Server to ask. [STOA_SERVER]", valueName: "URL"))
    var server: String?

    @Option(help: ArgumentHelp("Seconds to wait for the answer.", valueName: "SECONDS"))
    var timeout = 5

    func validate() throws {
        guard (1...600).contains(timeout) else {
            throw ValidationError("--timeout: it must be from 1 to 600")
        }
    }

    func run() async throws {
        let url = try HTTPOrigin(server: server)
        let duration = Duration.seconds(timeout)
        let reply: HTTPReply
        do {
            reply = try await EventLoop.run { loop in
                var client = HTTPClient(loop: loop, server: url)
                client.timeout = duration
                return try await client.get("/readyz")
            }
        } catch let error as ChatClientError {
            throw CommandFailure(.unavailable, "cannot reach \(url): \(error)")
        }
        let answer = reply.text.split(separator: "\n").joined(separator: " ")
        guard reply.status.isSuccess else { throw CommandFailure(.unavailable, answer) }
        StandardStreams.print("\(answer)")
    }
}
