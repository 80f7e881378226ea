// `stoa top`: a server's work, live in the terminal.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import TerminalText

struct TopCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch nodes, queue, engines and answers.",
        discussion: """
            For administrators. Ctrl-C ends it. Into a pipe or a file it prints one table, as with \
            --once. \(ServerArguments.help)
            """
    )

    private static let interval = Duration.seconds(2)

    @Flag(help: "Print one table and end.")
    var once = false

    @Flag(help: "Print one reading as JSON and end.")
    var json = false

    @OptionGroup var connection: ServerArguments

    func run() async throws {
        guard Terminal.isOutput, !once, !json else { return try await printOnce() }
        try await connection.connected { client in
            while true {
                Self.draw(try await TopReading(client))
                try await client.loop.sleep(for: Self.interval)
            }
        }
    }

    private func printOnce() async throws {
        let reading = try await connection.connected { client in try await TopReading(client) }
        if json { return try JSONOutput.print(reading) }
        for line in reading.lines { StandardStreams.print("\(line)") }
    }

    /// Replaces the screen's content in one write, so that it does not flicker. The size is asked
    /// each time, as the window may have changed.
    private static func draw(_ reading: TopReading) {
        let size = TerminalMode.size
        let lines = reading.lines(columns: size.columns, rows: size.rows - 1)
        let screen = lines.reduce("\u{1B}[H" as SafeText) { "\($0)\($1)\u{1B}[K\r\n" }
        StandardStreams.write("\(screen)\u{1B}[J")
    }
}
