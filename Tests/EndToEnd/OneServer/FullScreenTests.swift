// `stoa tui`, as its screens show it.

import ChatProtocol
import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd.OneServer {
    @Suite(
        "On the full screen",
        .serialized,
        .disabled(if: TerminalWindow.isMissing, "needs tmux: make setup installs it")
    )
    struct FullScreen {
        /// A new user, whose list is empty.
        private func newcomer(_ name: String) throws -> Peer {
            let server = try SharedServer.server()
            try server.addUser(name)
            return try server.connect(try server.signIn(name))
        }

        /// `stoa tui` of a user.
        private func tui(_ user: String, _ arguments: [String]) throws -> TerminalWindow {
            let server = try SharedServer.server()
            _ = try server.command(
                ["login", server.origin, "--user", user, "--password-stdin"],
                input: "\(server.password(of: user))\n"
            )
            return try TerminalWindow(
                server,
                ["tui", "--server", server.origin, "--user", user] + arguments
            )
        }

        @Test("stoa tui shows list, thread and composer, answers, and leaves the screen as it was")
        func journey() throws {
            let peer = try newcomer("ann")
            _ = try peer.createConversation(title: "Older")
            let conversation = try peer.createConversation(
                title: "Full",
                settings: GenerationSettings(maxTokens: 4)
            )
            let window = try tui("ann", ["\(conversation)"])
            let first = try window.wait("the page") { lines in
                lines.contains { $0.hasPrefix("▸ Full") } && lines.contains { $0.contains("Older") }
                    && lines.last { !$0.isEmpty }?.contains("│ >") == true
            }
            #expect(first.contains { $0.hasPrefix(" Full — ann — ") })
            try window.type("What is *tea*?")
            try window.press("Enter")
            try window.wait("the answer") { lines in
                lines.contains { $0.hasSuffix("│ What is tea?") }
                    && lines.contains { $0.contains("tokens/s") }
            }
            #expect(try peer.messages(of: conversation).first?.text == "What is *tea*?")
            // The commands are those of stoa chat.
            try window.type("/ti")
            try window.press("Tab")
            try window.type("Renamed")
            try window.press("Enter")
            try window.wait("the title") { lines in
                lines.contains { $0.hasPrefix("▸ Renamed") }
                    && lines.contains { $0.hasPrefix(" Renamed — ann") }
            }
            // The list opens another one.
            try window.press("Tab", "Down")
            try window.wait("the hint") { $0.contains { $0.contains("Enter opens") } }
            try window.press("Enter")
            try window.wait("the other one") { $0.contains { $0.hasPrefix("▸ Older") } }
            try window.press("C-d")
            let end = try window.wait("the end") { $0.contains("exit 0") }
            #expect(!end.contains { $0.contains("│") })
        }

        @Test(
            "/settings, /receipt and /export say and write what they name, and keep files that exist"
        )
        func files() throws {
            let peer = try newcomer("dan")
            let conversation = try peer.createConversation(title: "Files")
            let folder = try TemporaryFolder()
            let window = try tui("dan", ["\(conversation)"])
            try window.wait("the page") { $0.contains { $0.hasPrefix("▸ Files") } }
            try window.type("/settings max_tokens=3 temperature=1 seed=7")
            try window.press("Enter")
            try window.wait("the settings") { $0.contains { $0.hasSuffix("│ seed=7") } }
            try window.type("Tea?")
            try window.press("Enter")
            try window.wait("the answer") { $0.contains { $0.contains("tokens/s") } }
            try window.type("/receipt")
            try window.press("Enter")
            try window.wait("the receipt") { $0.contains { $0.contains("│ Answer: 3 tokens") } }
            for name in ["tea.md", "tea.json", "tea.md"] {
                try window.type("/export \(folder.path)/\(name)")
                try window.press("Enter")
            }
            try window.type("/receipt \(folder.path)/receipt.json")
            try window.press("Enter")
            try window.wait("the refusal") { lines in
                lines.contains { $0.contains("exists:") }
                    && FileManager.default.fileExists(atPath: "\(folder.path)/receipt.json")
            }
            let text = try String(contentsOfFile: "\(folder.path)/tea.md", encoding: .utf8)
            #expect(text.contains("Tea?"))
            let receipt = try String(contentsOfFile: "\(folder.path)/receipt.json", encoding: .utf8)
            #expect(receipt.filter { $0 != " " }.contains("\"seed\":7"))
            try window.press("C-d")
            try window.wait("the end") { $0.contains("exit 0") }
        }

        @Test("a resized screen is laid out again, and Ctrl-C and signals restore the terminal")
        func restoration() throws {
            let peer = try newcomer("ben")
            let conversation = try peer.createConversation(title: "Sized")
            let window = try tui("ben", ["\(conversation)"])
            try window.wait("the page") { $0.contains { $0.hasPrefix("▸ Sized") } }
            try window.resize(columns: 40, rows: 12)
            try window.type("typed")
            try window.wait("without a list") { lines in
                lines.contains("> typed") && !lines.contains { $0.contains("▸") }
            }
            try window.resize(columns: 100, rows: 30)
            try window.wait("with a list") { lines in
                lines.contains { $0.hasPrefix("▸ Sized") }
                    && lines.contains { $0.hasSuffix("│ > typed") }
            }
            try window.send(SIGTERM)
            try window.wait("the end") { $0.contains("exit 130") }
            try window.type("echoed")
            try window.press("Enter")
            try window.wait("echo and cat") { lines in lines.count { $0 == "echoed" } == 2 }
        }

        @Test(
            "stoa tui --mouse opens a conversation with a click; in a pipe the command is refused"
        )
        func mouse() throws {
            let peer = try newcomer("cat")
            _ = try peer.createConversation(title: "Below")
            _ = try peer.createConversation(title: "Above")
            let window = try tui("cat", ["--mouse"])
            try window.wait("the page") { $0.contains { $0.hasPrefix("▸ Above") } }
            // A click on the second row of the list, as terminals report it.
            try window.type("\u{1B}[<0;5;3M")
            try window.wait("the other one") { $0.contains { $0.hasPrefix("▸ Below") } }
            try window.press("C-c")
            try window.wait("the end") { $0.contains("exit 130") }

            let server = try SharedServer.server()
            let refused = try server.command(
                ["tui", "--new", "--server", server.origin],
                input: ""
            )
            #expect(refused.end == .exited(64))
        }
    }
}
