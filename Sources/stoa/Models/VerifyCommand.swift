// `stoa model verify`.

import ArgumentParser
import ModelHub
import TerminalText

/// Verifies a model's files against their digests.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the checksums of a model's files in the cache.",
        discussion: """
            Prints a line for each file that is damaged or missing. Exit status 65 if there are any. \
            \(HubArguments.help)
            """
    )

    @Argument(help: "Name of the model.")
    var name: String

    @Flag(help: "Print JSON, with all files.")
    var json = false

    @Flag(help: "Remove damaged files, so that the next pull fetches them again.")
    var removeDamaged = false

    func run() throws {
        let cache = ModelCache(try HubArguments.configuration())
        let model = try HubArguments.model(name)
        let total = cache.commits(of: model).reduce(0) { $0 + $1.bytes }
        let display = ReadingDisplay(total: total)
        let files = try HubArguments.reportingFailures { () throws(HubError) in
            try cache.verify(model, removesDamaged: removeDamaged) { bytes in
                display.show(bytes)
                return true
            }
        }
        display.end()
        let wrong = files.filter { $0.state == .damaged || $0.state == .missing }
        if json {
            try JSONOutput.print(files)
        } else {
            for file in wrong {
                let name = TerminalSanitizer.clean(file.file)
                StandardStreams.print("\(name) of \(file.commit.prefix(12)): \(file.state)")
            }
            let bytes = ByteCount(files.reduce(0) { $0 + $1.bytes })
            if wrong.isEmpty { StandardStreams.print("\(model): all \(bytes) are whole") }
        }
        guard !wrong.isEmpty else { return }
        let advice =
            removeDamaged || !wrong.contains { $0.state == .damaged }
            ? "fetch them with stoa model pull"
            : "remove them with --remove-damaged, then pull again"
        throw CommandFailure(.dataError, "\(wrong.count) files are not whole: \(advice)")
    }
}

/// Shows how much of a model has been read, on a terminal.
private final class ReadingDisplay {
    private let isShown = Terminal.isError
    private let total: Int
    private var percent = -1

    init(total: Int) { self.total = total }

    func show(_ bytes: Int) {
        let percent = total == 0 ? 100 : min(bytes * 100 / total, 100)
        guard isShown, percent != self.percent else { return }
        self.percent = percent
        StandardStreams.writeError("\r\(percent) % of \(ByteCount(total))\u{1B}[K")
    }

    func end() {
        if percent >= 0 { StandardStreams.printError("") }
    }
}
