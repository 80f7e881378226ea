// `stoa list`: the user's conversations.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

/// `stoa list`.
struct ListConversationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List your conversations, the latest first.",
        discussion: "Pinned conversations come first."
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Maximum number of conversations.", valueName: "COUNT")
    )
    var limit = 50

    @Flag(help: "List the archived conversations.")
    var archived = false

    @OptionGroup var output: OutputArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        let (limit, archived) = (limit, archived)
        let (rows, hasMore) = try await connection.connected { client in
            var rows: [Conversation] = []
            var cursor: String?
            repeat {
                let request = ConversationListRequest(
                    cursor: cursor,
                    limit: min(200, limit - rows.count),
                    archived: archived ? true : nil
                )
                let page = try await client.deliver(.conversationList, request)
                rows += page.conversations
                cursor = page.cursor
            } while cursor != nil && rows.count < limit
            return (rows, cursor != nil)
        }
        if output.json {
            for row in rows { output.print(row) }
        } else {
            for line in Table.lines(rows.map(Self.row)) { StandardStreams.print("\(line)") }
        }
        if hasMore { output.note("More conversations exist: raise --limit.") }
    }

    private static func row(_ conversation: Conversation) -> [String] {
        let title = conversation.title.isEmpty ? "new conversation" : conversation.title
        var notes: [String] = []
        if conversation.pinned == true { notes.append("pinned") }
        if let unread = conversation.unread, unread > 0 { notes.append("\(unread) unread") }
        if conversation.mentions != nil { notes.append("@you") }
        if let running = conversation.running, running > 0 { notes.append("answering") }
        return [
            "\(conversation.id)", String(conversation.updatedAt.description.prefix(16)),
            title, conversation.members.map(\.user.name).joined(separator: ", "),
            notes.joined(separator: ", "),
        ]
    }
}
