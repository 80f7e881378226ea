// A fast answer on a terminal that takes nothing for a while: the slowest line there is.

import ChatProtocol
import Doubles
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite(
        "On a slow terminal",
        .serialized,
        .disabled(if: TerminalWindow.isMissing, "needs tmux: make setup installs it")
    )
    struct SlowTerminal {
        private static let columns = 200
        private static let rows = 50

        /// Ten seconds of an engine with 2,000 tokens a second: paragraphs, lists and code.
        private static let tokens: [String] = (0..<100).flatMap { number in
            let words = (0..<150).map { "w\(number).\($0) " } + [#"\n\n"#]
            let items = (0..<5).flatMap {
                ["- item ", "\($0) ", "of ", "*list* ", #"\#(number)\n"#]
            }
            let code = (0..<10).map { #"x\#($0) = \#(number)  # c\n"# }
            return words + items + [#"\n```py\n"#] + code + [#"```\n\n"#]
        }

        @Test(
            "it delays no key, costs no memory, and ends with the screen of a fast one",
            arguments: ["chat", "tui"]
        )
        func slow(command: String) throws {
            let engine = try EngineDouble(contextLength: 200_000) { number, _ in
                number == 0 ? .chat(tokens: Self.tokens) : .chat("The end.")
            }
            defer { engine.stop() }
            let server = try StoaServer([
                "--remote-engine", "\(engine.base) model=phi as=remote label=e", "--titles", "off",
            ])
            try server.addUser("ada")
            let peer = try server.connect(server.signIn("ada"))
            let request = ConversationCreateRequest(
                key: UUID().uuidString,
                title: "Slow",
                model: "remote",
                settings: GenerationSettings(maxTokens: 60_000)
            )
            let conversation = try peer.call(
                .conversationCreate,
                request,
                as: ConversationReply.self
            ).conversation.id
            _ = try server.command(
                ["login", server.origin, "--user", "ada", "--password-stdin"],
                input: "\(server.password(of: "ada"))\n"
            )
            let arguments = [command, "\(conversation)", "--server", server.origin]

            let terminal = try PseudoTerminal(
                server,
                arguments,
                columns: Self.columns,
                rows: Self.rows
            )
            try terminal.read(until: command == "tui" ? "— ada" : "(ada)")
            let memory = try terminal.memoryPeak
            // From here on nobody reads the terminal.
            var mirror = try peer.watch(conversation)
            let long = try peer.say("Go.", in: conversation).answer.id
            try peer.follow(&mirror, until: long)
            // The keys arrive, although the drawing of the answer cannot.
            try terminal.type("Typed\r")
            var answer: MessageID?
            try eventually("the typed question") {
                let messages = try peer.messages(of: conversation)
                answer = messages.last.flatMap { $0.role == .assistant ? $0.id : nil }
                return messages.contains { $0.text == "Typed" } && answer != nil && answer != long
            }
            try eventually("its answer") {
                try peer.messages(of: conversation).last?.state == .complete
            }
            let text = try peer.messages(of: conversation).first { $0.id == long }?.text ?? ""
            #expect(text.utf8.count > 80_000)
            #expect(try terminal.memoryPeak - memory < 48)

            try terminal.read(until: "The end.")
            try terminal.read(until: "tokens/s, first")
            // A full screen leaves out what it could not show in time; lines come once each.
            let bound = command == "tui" ? 64 << 10 : text.utf8.count * 2
            #expect(terminal.output.count < bound)
            try compare(terminal, server, arguments)
        }

        /// The screens of a slow terminal and of a fast one, on tmux.
        private func compare(
            _ terminal: PseudoTerminal,
            _ server: StoaServer,
            _ arguments: [String]
        ) throws {
            let fast = try TerminalWindow(
                server,
                arguments,
                columns: Self.columns,
                rows: Self.rows
            )
            let isDone = { (lines: [String]) in
                lines.contains { $0.hasSuffix("The end.") }
                    && lines.last { !$0.isEmpty }?.hasSuffix(">") == true
            }
            let expected = try fast.wait("the fast terminal", until: isDone)
            var seen: [String] = []
            // The last drawing may still be on its way.
            try eventually("the same screen") {
                let slow = try TerminalWindow(
                    replaying: terminal.output,
                    columns: Self.columns,
                    rows: Self.rows
                )
                seen = try slow.wait("the slow terminal", until: isDone)
                if seen != expected { terminal.readWaiting() }
                return seen == expected
            }
        }
    }
}
