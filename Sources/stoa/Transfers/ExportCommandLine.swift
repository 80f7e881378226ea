// `stoa export`.

import ArgumentParser
import ChatClient
import ChatProtocol
import ChatServer
import Glibc
import HTTPProtocol
import ModelHub
import Transfers

struct ExportCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export conversations: one's own, one of them, a team's or all.",
        discussion: """
            Asks the server with the sign-in that `stoa chat` keeps, or with STOA_TOKEN. With \
            --database it reads the database itself, at the server's terminal.

            In the format stoa nothing is lost, and `stoa import` reads it. An export that was cut off \
            is in FILE.part; --resume goes on with it.

            \(SettingsArguments.help)
            """
    )

    @OptionGroup var server: TransferServerArguments

    @Option(help: "stoa, markdown, html, text, openai or sharegpt.")
    var format = "stoa"

    @Option(help: ArgumentHelp("Only this conversation.", valueName: "ID"))
    var conversation: String?

    @Option(help: ArgumentHelp("A team's conversations.", valueName: "ID"))
    var team: String?

    @Flag(help: "Everything that the server has.")
    var all = false

    @Option(help: ArgumentHelp("Where to; else standard output.", valueName: "FILE"))
    var output: String?

    @Flag(help: "Go on with an export that was cut off.")
    var resume = false

    @Flag(help: "Read the database of these settings.")
    var database = false

    @OptionGroup var arguments: SettingsArguments

    func validate() throws {
        guard TransferFormat(rawValue: format) != nil else {
            throw ValidationError("--format: “\(format)” is none of those that there are")
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
                throw CommandFailure(.temporary, "the export was cut off: \(error); see --resume")
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
            throw CommandFailure(.cannotCreate, "cannot write to \(output)")
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

/// What a refusal of the server ends the program with.
func failure(_ reply: HTTPReply) -> CommandFailure {
    let said = (try? JSONReply.error(reply)) ?? "the server answered \(reply.status)"
    return CommandFailure(.noPermission, TerminalSanitizer.clean(said))
}
