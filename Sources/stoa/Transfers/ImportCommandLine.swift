// `stoa import`.

import ArgumentParser
import ChatClient
import ChatProtocol
import ChatServer
import FoundationEssentials
import HTTPProtocol
import ModelHub
import TerminalText
import Transfers

struct ImportCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import conversations of Stoa and of other systems.",
        discussion: """
            The whole file is checked first; nothing is imported from a damaged one. Conversations \
            that exist already are skipped, so an import can be repeated, also after an interruption. \
            With --database it writes to the database directly; the settings name it (“stoa help \
            settings”).
            """
    )

    @Argument(help: "File to import.")
    var file: String

    @OptionGroup var server: TransferServerArguments

    @Flag(help: "Only print what would be imported.")
    var dryRun = false

    @Flag(help: "Import users, teams and members, too (administrators only).")
    var all = false

    @Flag(help: "Write to the database directly, without a server.")
    var database = false

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let input = try ImportedFile(file)
        guard input.isStoaFormat || !all && (!database || server.user != nil) else {
            throw CommandFailure(
                .dataError,
                "\(file) comes from another system: name the account to import into with --user"
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
                    "import interrupted: \(error); run the same command again to continue"
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
        func line(_ what: String, _ counts: TransferCounts) -> SafeText? {
            let parts = TransferRecord.Kind.allCases.filter { counts[$0] > 0 }.map {
                "\($0.rawValue) \(counts[$0])"
            }
            return parts.isEmpty ? nil : "\(what): \(parts.joined(separator: ", "))"
        }
        let made = line(dryRun ? "would be created" : "created", report.created)
        StandardStreams.print(made ?? "nothing to import")
        if let found = line("skipped, exist already", report.found) { StandardStreams.print(found) }
        for (what, tally) in [("left out", report.skipped), ("changed", report.changed)] {
            for (reason, count) in tally.reasons.sorted(by: { $0.key < $1.key }) {
                StandardStreams.print("\(what): \(count), \(reason)")
            }
        }
    }
}

/// A server's JSON response.
enum JSONReply {
    /// The message of an error response.
    /// - Throws: if the body contains none.
    static func error(_ reply: HTTPReply) throws -> String {
        try JSONDecoder().decode(ErrorBody.self, from: Data(reply.body)).error.message
    }
}
