// A generated transfer of any size, for measuring imports and exports.

import ArgumentParser
import ChatProtocol
import Glibc
import Transfers

/// `stoa-bench transfers`: writes a file in Stoa's format to standard output.
struct TransferFileBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers",
        abstract: "Write a made-up transfer of so many messages to standard output."
    )

    @Option(help: "How many conversations.")
    var conversations = 20_000

    @Option(help: "Messages of each.")
    var messages = 50

    @Option(help: "How many users.")
    var users = 100

    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    func run() throws {
        var writer = RecordWriter()
        let header = TransferHeader(exportedAt: .now, server: "benchmark", scope: .everything)
        write(writer.line(.header(header)))
        let people = (0..<max(users, 1)).map { number in
            UserRecord(
                id: .derived(from: ["user", "\(number)"], at: Self.start),
                name: "user-\(number)"
            )
        }.sorted { $0.id.description < $1.id.description }
        for user in people { write(writer.line(.user(user))) }
        for number in 0..<conversations {
            write(conversation(number, of: people[number % people.count].id, &writer))
        }
        write(writer.end())
    }

    private func conversation(_ number: Int, of owner: UserID, _ writer: inout RecordWriter)
        -> [UInt8]
    {
        let time = Timestamp(milliseconds: Self.start.milliseconds + Int64(number) * 60_000)
        let id = ConversationID.derived(from: ["conversation", "\(number)"], at: time)
        let ids = (0..<messages).map { index in
            MessageID.derived(
                from: ["message", "\(number)", "\(index)"],
                at: Timestamp(milliseconds: time.milliseconds + Int64(index))
            )
        }
        let record = ConversationRecord(
            id: id,
            title: "Conversation \(number)",
            model: "demo",
            leaf: ids.last,
            createdAt: time,
            updatedAt: time
        )
        let member = MemberRecord(conversation: id, user: owner, role: .owner, joinedAt: time)
        var bytes = writer.line(.conversation(record)) + writer.line(.member(member))
        for (index, message) in ids.enumerated() {
            let isAnswer = index % 2 == 1
            bytes += writer.line(
                .message(
                    MessageRecord(
                        id: message,
                        conversation: id,
                        parent: index > 0 ? ids[index - 1] : nil,
                        number: Int64(index) + 1,
                        role: isAnswer ? .assistant : .user,
                        author: isAnswer ? nil : owner,
                        text: String(repeating: "Word \(number) \(index) ", count: 10),
                        run: isAnswer ? .derived(from: ["\(message)"], at: time) : nil,
                        finish: isAnswer ? .stop : nil,
                        createdAt: time
                    )
                )
            )
        }
        return bytes
    }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
