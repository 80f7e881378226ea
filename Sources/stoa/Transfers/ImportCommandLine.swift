// `stoa import`.

import ArgumentParser
import ChatClient
import ChatProtocol
import ChatServer
import FoundationEssentials
import HTTPProtocol
import ModelHub
import Transfers

struct ImportCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import conversations of Stoa, ChatGPT, Open WebUI or LibreChat.",
        discussion: """
            The file is read to its end first: where it is damaged, nothing is imported. What is \
            there already is passed over, so importing again, or after an interruption, makes \
            nothing twice.

            \(SettingsArguments.help)
            """
    )

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var server: TransferServerArguments

    @Flag(help: "Only say what would be done.")
    var dryRun = false

    @Flag(help: "As an administrator: with users, teams and members as they were.")
    var all = false

    @Flag(help: "Write to the database of these settings: everything, or with --user one account.")
    var database = false

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let input = try ImportedFile(file)
        guard input.isOurs || !all && (!database || server.user != nil) else {
            throw CommandFailure(
                .dataError,
                "\(file) is another system's: say with --user whose account it goes into"
            )
        }
        try input.check()
        let report = try await database ? load(input) : upload(input)
        print(report)
    }

    private func upload(_ input: ImportedFile) async throws -> TransferReport {
        let url = try server.url()
        var headers = try server.credentials(for: url)
        headers[.contentType] = TransferFormat.stoa.mediaType
        let fields = headers
        let target = "/api/v1/import?scope=\(all ? "all" : "me")&dry_run=\(dryRun)"
        let thread = try ClientThread(name: "import")
        let (reply, notes) = try await thread.run { loop in
            var progress = TransferProgress()
            defer { progress.end() }
            let pieces = try input.pieces()
            var count = 0
            do {
                let reply = try await HTTPClient(loop: loop, server: url)
                    .upload(target, headers: fields) {
                        let bytes = try pieces.next()
                        count += bytes?.count ?? 0
                        progress.show("\(ByteCount(count)) sent")
                        return bytes
                    }
                return (reply, pieces.report)
            } catch let error as ChatClientError {
                throw CommandFailure(
                    .temporary,
                    "the import was cut off: \(error); the same command goes on with it"
                )
            }
        }
        guard reply.status.isSuccess else { throw failure(reply) }
        var report = try JSONDecoder().decode(ImportAnswer.self, from: Data(reply.body)).report
        report.add(notes)
        return report
    }

    private struct ImportAnswer: Decodable {
        let report: TransferReport
    }

    private func load(_ input: ImportedFile) async throws -> TransferReport {
        let settings = try arguments.read()
        let pieces = try input.pieces()
        let result = try await TransferCommand.load(
            intoAccountOf: server.user,
            isDryRun: dryRun,
            settings: settings,
            logger: LogSetup.logger(settings)
        ) { try pieces.next() }
        if let failure = result.failure { throw CommandFailure(.dataError, "\(failure)") }
        var report = result.report
        report.add(pieces.report)
        return report
    }

    private func print(_ report: TransferReport) {
        func line(_ what: String, _ counts: TransferCounts) -> String? {
            let parts = TransferRecord.Kind.allCases.filter { counts[$0] > 0 }.map {
                "\($0.rawValue) \(counts[$0])"
            }
            return parts.isEmpty ? nil : "\(what): " + parts.joined(separator: ", ")
        }
        let made = line(dryRun ? "would be made" : "made", report.created)
        StandardStreams.print(made ?? "nothing to make")
        if let found = line("there already", report.found) { StandardStreams.print(found) }
        for (what, tally) in [("left out", report.skipped), ("changed", report.changed)] {
            for (reason, count) in tally.reasons.sorted(by: { $0.key < $1.key }) {
                StandardStreams.print(TerminalSanitizer.clean("\(what): \(count), \(reason)"))
            }
        }
    }
}

/// What a server says in JSON.
enum JSONReply {
    /// The sentence of an error.
    /// - Throws: where the body holds none.
    static func error(_ reply: HTTPReply) throws -> String {
        try JSONDecoder().decode(ErrorBody.self, from: Data(reply.body)).error.message
    }
}
