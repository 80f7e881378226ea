// `stoa licenses`: the same text that the page shows.

import ArgumentParser
import ChatServer

/// `stoa licenses`.
struct LicensesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licenses",
        abstract: "Print the works of others in the program and the page, with their licenses."
    )

    /// - Throws: `CommandFailure` if the text is missing in this build.
    func run() throws {
        guard let file = BundledFolder.web.files.first(where: { $0.path == "licenses.txt" }) else {
            throw CommandFailure(
                .unavailable,
                "the licenses are missing in this build: build it with `make build`"
            )
        }
        print(String(decoding: file.bytes, as: UTF8.self), terminator: "")
    }
}
