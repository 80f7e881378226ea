// `stoa export`.

import ArgumentParser
import ChatClient
import ChatProtocol
import ChatServer
import EventLoop
import Glibc
import HTTPProtocol
import ModelHub
import TerminalText
import Transfers

struct ExportCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export conversations: your own, a team's, or all.",
        discussion: """
            Signs in with the token that “stoa chat” stored, or with STOA_TOKEN. With --database it \
            reads the database directly; the settings name it (“stoa help settings”).

            The format stoa is complete, and “stoa import” reads it. An interrupted export is in \
            FILE.part; --resume continues it.
            """
    )

    @OptionGroup var server: TransferServerArguments

    @Option(help: "Format: stoa, markdown, html, text, openai or sharegpt.")
    var format = "stoa"

    @Option(help: ArgumentHelp("Export only this conversation.", valueName: "ID"))
    var conversation: String?

    @Option(help: ArgumentHelp("Export a team's conversations.", valueName: "ID"))
    var team: String?

    @Flag(help: "Export everything on the server.")
    var all = false

    @Option(help: ArgumentHelp("File to write. (default: standard output)", valueName: "FILE"))
    var output: String?

    @Flag(help: "Continue an interrupted export.")
    var resume = false

    @Flag(help: "Read the database directly, without a server.")
    var database = false

    @OptionGroup var arguments: SettingsArguments

    func validate() throws {
        let formats = TransferFormat.allCases.map(\.rawValue).joined(separator: ", ")
        guard TransferFormat(rawValue: format) != nil else {
            throw ValidationError("--format: “\(format)” is not one of \(formats)")
        }
        guard [conversation != nil, team != nil, all].count(where: { $0 }) <= 1 else {
            throw ValidationError("--conversation, --team and --all exclude each other")
        }
        if let conversation, ConversationID(conversation) == nil {
            throw ValidationError("--conversation: “\(conversation)” is not an id")
        }
        if let team, TeamID(team) == nil {
            throw ValidationError("--team: “\(team)” is not an id")
        }
        if resume, output == nil || format != "stoa" || database {
            throw ValidationError("--resume needs --output, the format stoa, and a server")
        }
    }

    func run() async throws {
        if database { return try await exportDatabase() }
        let url = try server.url()
        let headers = try server.credentials(for: url)
        let file = try openFile()
        let thread = try ClientThread(name: "export")
        let isChecked = format == TransferFormat.stoa.rawValue
        let (target, resume) = (target, resume)
        try await thread.run { loop in
            var exported: ExportedFile?
            if isChecked {
                exported = try resume ? ExportedFile(resuming: file) : ExportedFile(file)
            }
            let request = target + (exported?.after.map { "&after=\($0)" } ?? "")
            var progress = TransferProgress()
            defer { progress.end() }
            var count = 0
            do {
                let reply = try await HTTPClient(loop: loop, server: url)
                    .download(request, headers: headers) { bytes in
                        count += bytes.count
                        if exported == nil { try file.write(bytes) }
                        try exported?.take(bytes)
                        let conversations = exported.map {
                            ", \($0.conversationCount) conversations"
                        }
                        progress.show("\(ByteCount(count))\(conversations ?? "")")
                    }
                guard reply.status.isSuccess else { throw failure(reply) }
                try exported?.finish()
            } catch let error as ChatClientError {
                throw CommandFailure(
                    .temporary,
                    "export interrupted: \(error); continue it with --resume"
                )
            } catch let error as TransferError {
                throw CommandFailure(.temporary, "\(error)")
            }
        }
        try closeFile()
    }

    private var target: String {
        if let conversation {
            return "/api/v1/conversations/\(conversation)/export?format=\(format)"
        }
        let scope = all ? "all" : team.map { "team:\($0)" } ?? "me"
        return "/api/v1/export?scope=\(scope)&format=\(format)"
    }

    private func openFile() throws(CommandFailure) -> TransferFile {
        guard let output else { return .standardOutput() }
        return try .writing("\(output).part", keepsContent: resume)
    }

    private func closeFile() throws(CommandFailure) {
        guard let output else { return }
        guard rename("\(output).part", output) == 0 else {
            throw CommandFailure(.latest(.write, output))
        }
    }

    private func exportDatabase() async throws {
        let settings = try arguments.read()
        var scope = TransferScope.everything
        if let id = conversation.flatMap({ ConversationID($0) }) { scope = .conversation(id) }
        if let id = team.flatMap({ TeamID($0) }) { scope = .team(id) }
        let file = try openFile()
        try await TransferCommand.export(
            scope,
            as: TransferFormat(rawValue: format) ?? .stoa,
            settings: settings,
            logger: LogSetup.logger(settings)
        ) { bytes in try file.write(bytes) }
        try closeFile()
    }
}

/// The failure for a server's refusal.
func failure(_ reply: HTTPReply) -> CommandFailure {
    let said = (try? JSONReply.error(reply)) ?? "the server responded with \(reply.status)"
    return CommandFailure(.noPermission, TerminalSanitizer.clean(said))
}
