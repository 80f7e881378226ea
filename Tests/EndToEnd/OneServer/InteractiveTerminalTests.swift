// `stoa chat` on a terminal, as its screens show it.

import ChatProtocol
import Glibc
import Testing

extension EndToEnd.OneServer {
    @Suite(
        "On a terminal",
        .serialized,
        .disabled(if: TerminalWindow.isMissing, "needs tmux: make setup installs it")
    )
    struct InteractiveTerminal {
        /// `stoa chat` of a user in a conversation of their own.
        private func chat(
            _ user: String,
            _ arguments: [String],
            environment: [String: String] = [:]
        ) throws -> TerminalWindow {
            let server = try SharedServer.server()
            _ = try server.command(
                ["login", server.origin, "--user", user, "--password-stdin"],
                input: "\(server.password(of: user))\n"
            )
            return try TerminalWindow(
                server,
                ["chat", "--server", server.origin, "--user", user] + arguments,
                environment: environment
            )
        }

        @Test("a question is typed, the answer grows above the prompt, and its speed follows")
        func question() throws {
            let peer = try SharedServer.connect("ada")
            let conversation = try peer.createConversation(title: "Terminal")
            let window = try chat("ada", ["\(conversation)"])
            try window.wait("the prompt") { $0.contains { $0.hasPrefix(">") } }
            try window.type("What is 2 + 3?")
            try window.press("Enter")
            let lines = try window.wait("the answer") { $0.contains { $0.contains("tokens/s") } }
            let stored = try peer.messages(of: conversation)
            #expect(stored.map(\.text).first == "What is 2 + 3?")
            let place = try #require(lines.firstIndex(of: "ada"), "\(lines)")
            #expect(lines[place + 1] == "What is 2 + 3?")
            #expect(lines.count { $0 == "What is 2 + 3?" } == 1)
            #expect(lines.last { !$0.isEmpty }?.hasPrefix(">") == true)

            // Ctrl-C drops what is typed, Ctrl-D leaves.
            try window.type("forgotten")
            try window.press("C-c")
            try window.press("C-d")
            let end = try window.wait("the end") { $0.contains("exit 0") }
            #expect(!end.contains { $0.contains("forgotten") })
        }

        @Test("another speaker is seen typing and heard, and Ctrl-C stops the answer, not the chat")
        func speakers() throws {
            let peer = try SharedServer.connect("bo")
            let conversation = try peer.createConversation(title: "Two")
            let add = MemberAddRequest(conversation: conversation, user: "cy")
            _ = try peer.call(.memberAdd, add, as: MemberReply.self)
            let window = try chat("cy", ["\(conversation)"])
            // The prompt is there before the conversation is, and typing is not told later.
            try window.wait("the conversation") { $0.contains { $0.hasPrefix("— Two") } }
            var mirror = try peer.watch(conversation)
            _ = try peer.call(
                .typing,
                ConversationRequest(conversation: conversation),
                as: EmptyReply.self
            )
            try window.wait("typing") { $0.contains { $0.contains("bo is typing") } }
            let sent = try peer.say("Tell me a very long story.", in: conversation)
            try window.wait("bo's message") { $0.contains("Tell me a very long story.") }
            try window.press("C-c")
            try peer.follow(&mirror, until: sent.answer.id)
            let ending = mirror.state(of: sent.answer.id) == .stopped ? "(stopped)" : "tokens/s"
            try window.wait("the end of the answer") { $0.contains { $0.contains(ending) } }
            try window.press("C-c")
            try window.wait("the end") { $0.contains("exit 130") }
        }

        @Test("several lines, completion, history and $EDITOR make a text")
        func editing() throws {
            let peer = try SharedServer.connect("dee")
            let conversation = try peer.createConversation(
                title: "Editing",
                settings: GenerationSettings(maxTokens: 2)
            )
            let window = try chat(
                "dee",
                ["\(conversation)"],
                environment: ["EDITOR": "sed -i s/draft/final/"]
            )
            try window.wait("the prompt") { $0.contains { $0.hasPrefix(">") } }
            try window.paste("one\ntwo")
            try window.wait("two lines") { $0.contains("> one") && $0.contains("  two") }
            try window.press("M-Enter")
            try window.type("draft")
            try window.press("C-x", "C-e")
            try window.wait("the editor's text") { $0.contains("  final") }
            try window.press("Enter")
            try window.wait("the answer") { $0.contains { $0.contains("tokens/s") } }
            #expect(try peer.messages(of: conversation).first?.text == "one\ntwo\nfinal")
            try window.type("/ti")
            try window.press("Tab")
            try window.type("Renamed")
            try window.press("Enter")
            try window.wait("the title") { $0.contains("(title: Renamed)") }
            try window.press("Up", "Up")
            try window.wait("the first line again") { $0.contains("> one") }
            try window.press("C-c", "C-d")
            try window.wait("the end") { $0.contains("exit 0") }
        }

        @Test("Markdown is shown with headings, lists and tables, in the width of the terminal")
        func markdown() throws {
            let server = try SharedServer.server()
            let peer = try SharedServer.connect("hal")
            let conversation = try peer.createConversation(
                title: "Markdown",
                settings: GenerationSettings(maxTokens: 2)
            )
            let text = "# Tea\n\n- *hot*\n- [x] cold\n\n| kind | cups |\n|---|--:|\n| 緑茶 | 2 |\n"
            var mirror = try peer.watch(conversation)
            let sent = try peer.say(text, in: conversation)
            try peer.follow(&mirror, until: sent.answer.id)
            let window = try chat("hal", ["\(conversation)"])
            let expected = ["Tea", "• hot", "☑ cold", "kind │ cups", "─────┼─────", "緑茶 │    2"]
            try window.wait("the message") {
                $0.contains("緑茶 │    2") && $0.last { !$0.isEmpty } == ">"
            }
            #expect(try window.lines().filter { expected.contains($0) } == expected)

            // The prompt is drawn again in the new width.
            try window.resize(columns: 40, rows: 12)
            try window.type(String(repeating: "wide ", count: 9))
            try window.wait("two lines of the prompt") { lines in
                lines.contains("> wide wide wide wide wide wide wide wid")
                    && lines.contains("  e wide")
            }
            try window.press("C-c", "C-d")
            try window.wait("the end") { $0.contains("exit 0") }

            let show = try TerminalWindow(
                server,
                ["show", "\(conversation)", "--server", server.origin, "--user", "hal"]
            )
            let shown = try show.wait("the end") { $0.contains("exit 0") }
            #expect(shown.filter { expected.contains($0) } == expected)
        }

        @Test("a terminal that hangs up, or a stopped chat, leaves the terminal as it was")
        func termination() throws {
            let peer = try SharedServer.connect("ivy")
            let conversation = try peer.createConversation(title: "Stopped")
            let window = try chat("ivy", ["\(conversation)"])
            try window.wait("the prompt") { $0.contains { $0.hasPrefix(">") } }
            try window.send(SIGTERM)
            try window.wait("the end") { $0.contains("exit 130") }
            // The terminal echoes again.
            try window.type("echoed")
            try window.press("Enter")
            try window.wait("echo and cat") { lines in lines.count { $0 == "echoed" } == 2 }
        }

        @Test("a dumb terminal gets lines, and NO_COLOR no styles")
        func plain() throws {
            let peer = try SharedServer.connect("gus")
            let conversation = try peer.createConversation(
                title: "Plain",
                settings: GenerationSettings(maxTokens: 2)
            )
            let window = try chat("gus", ["\(conversation)"], environment: ["TERM": "dumb"])
            try window.wait("the prompt") { $0.contains { $0.hasPrefix(">") } }
            try window.type("What is 2 + 3?")
            try window.press("Enter")
            try window.wait("the answer") { $0.contains { $0.contains("tokens/s") } }
            try window.type("/quit")
            try window.press("Enter")
            try window.wait("the end") { $0.contains("exit 0") }
        }
    }
}
