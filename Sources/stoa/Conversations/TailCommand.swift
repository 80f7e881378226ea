// `stoa tail`: a conversation as it goes on.

import ArgumentParser
import ChatClient
package import ChatProtocol
import EventLoop
import Glibc
import TerminalText

/// `stoa tail`.
struct TailCommand: AsyncParsableCommand, SignalTaking {
    static let signals = [SIGINT]

    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Follow a conversation as it grows.",
        discussion: """
            Prints the last messages, then what is new, until Ctrl-C. With --json each line is an \
            event; the message and the byte “to” of the last delta are where --from goes on without \
            a gap. Lost connections are made again.
            """
    )

    @Argument(
        help: "Conversation to follow: an id, its start, or words of the title.",
        completion: NamesCommand.conversations
    )
    var conversation: String

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("Number of last messages to print first.", valueName: "COUNT")
    )
    var messages = 10

    @Option(
        help: ArgumentHelp(
            "Begin with this message, or after a byte of its text.",
            valueName: "MESSAGE[:BYTE]"
        )
    )
    var from: String?

    @OptionGroup var output: OutputArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        guard messages >= 0 else { throw ValidationError("--messages must not be negative") }
        if let from, TailPosition(from) == nil {
            throw ValidationError("--from: “\(from)” is not MESSAGE or MESSAGE:BYTE")
        }
    }

    func run() async throws {
        let (name, count, output) = (ConversationName(conversation), messages, output)
        let position = from.flatMap { TailPosition($0) }
        try await connection.connected { client in
            let conversation = try await name.find(client)
            let tail = ConversationTail(client, output)
            try await tail.run(conversation, last: count, from: position)
        }
    }
}

/// Where a reader goes on: at a message, after so many bytes of its text.
package struct TailPosition: Hashable, Sendable {
    /// The message.
    package let message: MessageID
    /// Bytes of its text that the reader has.
    package let offset: Int

    /// Parses "MESSAGE" or "MESSAGE:BYTE"; nil if it is neither.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let id = MessageID(String(parts[0])),
            let offset = parts.count == 2 ? Int(parts[1]) : 0, offset >= 0
        else { return nil }
        message = id
        self.offset = offset
    }
}

/// Follows one conversation. Used on its client's event loop.
final class ConversationTail {
    private let client: ChatClient
    private let output: OutputArguments
    private let end: LoopPromise<Void, CommandFailure>
    private var feed = ConversationFeed()
    private var text = ConversationText(model: "phi")

    init(_ client: ChatClient, _ output: OutputArguments) {
        self.client = client
        self.output = output
        end = LoopPromise(client.loop)
    }

    /// Prints until Ctrl-C.
    /// - Throws: `CommandFailure` if it is interrupted, or the conversation cannot be followed any
    ///   more; a refusal of the server.
    func run(
        _ conversation: ConversationID,
        last count: Int,
        from position: TailPosition?
    ) async throws {
        try client.loop.onSignal(SIGINT) { [end] in end.fail(CommandFailure(.interrupted, "")) }
        let follower = client.follow(conversation)
        let view = try await follower.wait(within: .seconds(60)) { $0.lastEvent != nil }
        text = ConversationText(model: view.conversation?.model ?? "phi")
        if let position {
            try await begin(at: position, view)
        } else {
            let (messages, _) = try await MessagePages.newest(
                max(count, 1),
                of: conversation,
                client
            )
            feed.skip(messages.dropLast(count))
            let first = messages.suffix(count).first?.id
            let shown = view.messages.firstIndex { $0.id == first } ?? view.messages.endIndex
            feed.skip(view.messages[..<shown])
            print(feed.lines(of: messages.suffix(count)))
        }
        print(feed.lines(of: follower.view.messages))
        follower.onChange = { [unowned self] changes, view in
            print(feed.lines(for: changes, of: view))
            if view.isDeleted {
                end.fail(CommandFailure(.notFound, "the conversation was deleted"))
            }
        }
        follower.onFailure = { [end] error in end.fail(CommandFailure(error)) }
        try await end.value { [end] in end.succeed(()) }
    }

    /// Prints what follows a position, with older messages than the view has if need be.
    private func begin(at position: TailPosition, _ view: ConversationView) async throws {
        let place = view.messages.firstIndex { $0.id == position.message }
        var older: [Message] = []
        if place == nil {
            let found = try await MessagePages.since(
                position.message,
                before: view.messages.first,
                of: view.id,
                client
            )
            guard let found else {
                throw CommandFailure(.notFound, "--from: the conversation has no such message")
            }
            older = found
        }
        feed.skip(view.messages[..<(place ?? 0)])
        feed.skip(position.message, before: position.offset)
        print(feed.lines(of: older))
    }

    private func print(_ lines: [ConversationLine]) {
        for line in lines {
            if output.json {
                output.print(line)
            } else {
                let shown = text.text(for: line)
                if !shown.isEmpty { StandardStreams.write(shown) }
            }
        }
    }
}
