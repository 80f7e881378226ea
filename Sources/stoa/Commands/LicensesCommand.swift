// `stoa licenses`: the same text that the page shows.

import ArgumentParser
import ChatServer
import TerminalText

/// `stoa licenses`.
struct LicensesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licenses",
        abstract: "Print the licenses of the works of others in it."
    )

    /// - Throws: `CommandFailure` if the text is missing in this build.
    func run() throws {
        guard let file = BundledFolder.web.files.first(where: { $0.path == "licenses.txt" }) else {
            throw CommandFailure(
                .unavailable,
                "the licenses are missing in this build: build it with `make build`"
            )
        }
        StandardStreams.write("\(String(decoding: file.bytes, as: UTF8.self))")
    }
}
