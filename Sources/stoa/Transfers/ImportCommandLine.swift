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
        abstract: "Import conversations that `stoa export` wrote.",
        discussion: """
            The file is read to its end first: where it is damaged, nothing is imported. What is \
            there already is passed over, so importing again, or after an interruption, makes \
            nothing twice.

            \(SettingsArguments.help)
            """
    )

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var server: ServerArguments

    @Flag(help: "Only say what would be done.")
    var dryRun = false

    @Flag(help: "As an administrator: with users, teams and members as they were.")
    var all = false

    @Flag(help: "Write to the database of these settings: everything, or with --user one account.")
    var database = false

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let file = try TransferFile.reading(self.file)
        try check(file)
        file.rewind()
        let report = try await database ? load(file) : upload(file)
        print(report)
    }

    /// Reads the file to its end.
    private func check(_ file: TransferFile) throws {
        var reader = RecordReader()
        do {
            while let bytes = try file.read() {
                reader.append(bytes)
                while try reader.next() != nil {}
            }
            reader.finish()
            while try reader.next() != nil {}
        } catch let error as TransferError {
            throw CommandFailure(.dataError, "\(self.file): \(error)")
        }
    }

    private func upload(_ file: TransferFile) async throws -> TransferReport {
        let url = try server.url()
        var headers = try server.credentials(for: url)
        headers[.contentType] = TransferFormat.stoa.mediaType
        let fields = headers
        let target = "/api/v1/import?scope=\(all ? "all" : "me")&dry_run=\(dryRun)"
        let thread = try ClientThread(name: "import")
        let reply = try await thread.run { loop in
            var progress = TransferProgress()
            defer { progress.end() }
            let total = max(file.byteCount, 1)
            var count = 0
            do {
                return try await HTTPClient(loop: loop, server: url)
                    .upload(target, headers: fields) {
                        let bytes = try file.read()
                        count += bytes?.count ?? 0
                        progress.show("\(count * 100 / total) % of \(ByteCount(total))")
                        return bytes
                    }
            } catch let error as ChatClientError {
                throw CommandFailure(
                    .temporary,
                    "the import was cut off: \(error); the same command goes on with it"
                )
            }
        }
        guard reply.status.isSuccess else {
            throw failure(reply)
        }
        return try JSONDecoder().decode(ImportAnswer.self, from: Data(reply.body)).report
    }

    private struct ImportAnswer: Decodable {
        let report: TransferReport
    }

    private func load(_ file: TransferFile) async throws -> TransferReport {
        let settings = try arguments.read()
        let result = try await TransferCommand.load(
            { RecordReader() },
            intoAccountOf: server.user,
            isDryRun: dryRun,
            settings: settings,
            logger: LogSetup.logger(settings)
        ) { try file.read() }
        if let failure = result.failure { throw CommandFailure(.dataError, "\(failure)") }
        return result.report
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
