// The commands for scripts: `stoa login`, `ask`, `send`, `list`, `show`, `search` and `tail`.

import ChatProtocol
import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd.OneServer {
    private typealias Result = (end: Program.End, output: String, errors: String)

    /// Runs a command on the shared server as a user who is signed in.
    private func run(_ arguments: [String], as user: String, input: String = "") throws -> Result {
        let server = try SharedServer.server()
        let place = ["--server", server.origin, "--user", user]
        let login = try server.command(
            ["login", server.origin, "--user", user, "--password-stdin"],
            input: "\(server.password(of: user))\n"
        )
        guard login.end == .exited(0) else { throw HarnessError("login: \(login.errors)") }
        return try server.command(arguments + place, input: input)
    }

    private func lines(_ text: String) throws -> [JSON] {
        try text.split(separator: "\n").map {
            try JSONDecoder().decode(JSON.self, from: Data($0.utf8))
        }
    }

    @Test("stoa login remembers a sign-in, and stoa logout ends it")
    func loginAndLogout() throws {
        let server = try SharedServer.server()
        let login = try server.command(
            [
                "login", server.origin, "--user", "hal", "--password-stdin", "--profile", "work",
                "--device", "the test's laptop",
            ],
            input: "\(server.password(of: "hal"))\n"
        )
        #expect(login.end == .exited(0), "\(login.errors)")
        #expect(login.output == "signed in as hal at \(server.origin) (work)\n")
        let sessions: SessionListReply = try connect("hal").call(.sessionList)
        #expect(sessions.sessions.contains { $0.device == "the test's laptop" })

        // It is the current one, so nothing else has to be named.
        let who = try server.command(["whoami"])
        #expect(who.output == "hal at \(server.origin) (work)\n", "\(who.errors)")
        let json = try server.command(["whoami", "--json", "--server", "work"])
        #expect(try lines(json.output).first?["user"]["name"] == "hal")

        let logout = try server.command(["logout", "work", "--user", "hal"])
        #expect(logout.output == "signed out work\n", "\(logout.errors)")
        let after: SessionListReply = try connect("hal").call(.sessionList)
        #expect(!after.sessions.contains { $0.device == "the test's laptop" })
        #expect(try server.command(["whoami", "--server", "no profile"]).end == .exited(64))
        let nobody = try server.command(["whoami", "--server", server.origin, "--user", "nobody"])
        #expect(nobody.end == .exited(77))

        let token = try #require(SharedServer.tokens["hal"])
        let byToken = try server.command(
            ["login", server.origin, "--token-stdin", "--profile", "key"],
            input: "\(token)\n"
        )
        #expect(
            byToken.output == "signed in as hal at \(server.origin) (key)\n",
            "\(byToken.errors)"
        )
        let wrong = try server.command(
            ["login", server.origin, "--token-stdin"],
            input: "nothing\n"
        )
        #expect(wrong.end == .exited(77), "\(wrong.errors)")
        let password = try server.command(
            ["login", server.origin, "--user", "hal", "--password-stdin"],
            input: "wrong\n"
        )
        #expect(password.end == .exited(77), "\(password.errors)")
    }

    @Test("stoa ask prints an answer in the named conversation")
    func asking() throws {
        let peer = try connect("ivy")
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/sums.py"
        try Data("print(2 + 3)\n".utf8).write(to: URL(filePath: path))
        func ask(_ arguments: [String], input: String = "") throws -> String {
            let (end, output, errors) = try run(["ask"] + arguments, as: "ivy", input: input)
            #expect(end == .exited(0), "\(arguments): \(errors)")
            if arguments.contains("--quiet") { #expect(errors.isEmpty) }
            return output
        }
        let first = try ask(["--system", "Be brief.", "What", "is", "2", "+", "3?", "--quiet"])
        let list: ConversationListReply = try peer.call(.conversationList)
        let conversation = try #require(list.conversations.first)
        let stored = try peer.messages(of: conversation.id)
        #expect(stored.map(\.text).first == "What is 2 + 3?")
        #expect(first == stored[1].text + (stored[1].text.hasSuffix("\n") ? "" : "\n"))
        let got: ConversationReply = try peer.call(
            .conversationGet,
            ConversationRequest(conversation: conversation.id)
        )
        #expect(got.conversation.systemPrompt == "Be brief.")

        _ = try ask(["--continue"], input: "What is 3 + 3?\n")
        _ = try ask(["-c", String("\(conversation.id)".prefix(30)), "Explain", "--file", path])
        let lines = try lines(
            try ask(["-c", "\(conversation.id)", "--json", "-f", "-"], input: "x")
        )
        let all = try peer.messages(of: conversation.id)
        #expect(all.count == 8)
        #expect(all[2].text == "What is 3 + 3?\n")
        #expect(all[4].text == "Explain\n\nsums.py:\n```py\nprint(2 + 3)\n```")
        #expect(all[6].text == "```\nx\n```")
        #expect(lines.first?["ev"] == "message.created")
        #expect(lines.last?["ev"] == "message.completed")
        #expect(lines.last?["message"]["text"].text == all[7].text)
        let deltas = lines.filter { $0["ev"] == "message.delta" }
        #expect(deltas.compactMap { $0["text"].text }.joined() == all[7].text)

        let models = try run(["ask", "x", "--model", "no such model"], as: "ivy")
        #expect(models.end == .exited(77), "\(models.errors)")
        let unknown = try run(["ask", "x", "-c", "no such conversation"], as: "ivy")
        #expect(unknown.end == .exited(67))
        #expect(unknown.errors == "stoa: no conversation is named “no such conversation”\n")
    }

    @Test("scripts list, show, search, send and follow conversations")
    func scripts() throws {
        let server = try SharedServer.server()
        let peer = try connect("jo")
        let settings = GenerationSettings(maxTokens: 4)
        let tea = try peer.createConversation(title: "Zebra tea", settings: settings)
        let old = try peer.createConversation(title: "Zebra archive", settings: settings)
        _ = try peer.call(
            .conversationArchive,
            ConversationArchiveRequest(conversation: old, archived: true),
            as: EmptyReply.self
        )
        func jo(_ arguments: [String], input: String = "") throws -> Result {
            try run(arguments, as: "jo", input: input)
        }
        let sent = try jo(["send", "zebra tea", "What is 2 + 3?"])
        let answer = try #require(MessageID(String(sent.output.dropLast())), "\(sent.errors)")
        var mirror = try peer.watch(tea)
        try peer.follow(&mirror, until: answer)

        // Columns are as wide as the longest title, which may be another test's.
        let rows = try jo(["list"]).output.split(separator: "\n")
        #expect(rows.contains { $0.contains("  Zebra tea  ") && $0.contains("  jo") })
        #expect(try jo(["names", "conversations"]).output.contains("Zebra tea\n"))
        #expect(try !jo(["names", "models"]).output.isEmpty)
        #expect(try jo(["list", "--limit", "1"]).output.split(separator: "\n").count == 1)
        let archived = try lines(try jo(["list", "--archived", "--json"]).output)
        #expect(archived.contains { $0["title"] == "Zebra archive" })
        #expect(!archived.contains { $0["title"] == "Zebra tea" })

        let stored = try peer.messages(of: tea)
        let shown = try jo(["show", "zebra tea"]).output
        #expect(shown.hasPrefix("# Zebra tea\n\njo: What is 2 + 3?\n\n"), "\(shown)")
        #expect(shown.contains(": \(stored[1].text)"))
        let newest = try lines(try jo(["show", "zebratea", "--limit", "1", "--json"]).output)
        #expect(newest.map { $0["text"].text } == [stored[1].text])

        let found = try lines(try jo(["search", "2", "-c", "zebra tea", "--json"]).output)
        #expect(found.contains { $0["message"].text == "\(stored[0].id)" })
        let limited = try jo(["search", "2", "-c", "\(tea)", "--limit", "1", "--json"]).output
        #expect(try lines(limited).count == 1)
        #expect(try jo(["search", "xylophonic"]).end == .exited(1))

        // A reader that stopped within the answer goes on there.
        let half = stored[1].text.utf8.count / 2
        let place = ["--server", server.origin, "--user", "jo", "--json"]
        let tail = try server.start(["tail", "\(tea)", "--from", "\(answer):\(half)"] + place)
        let rest = try tail.line { line in
            line.contains("message.delta") ? String(line) : nil
        }
        #expect(try lines(rest).first?["at"] == .number(Double(half)))
        let last = try peer.say("What is 3 + 3?", in: tea)
        try peer.follow(&mirror, until: last.answer.id)
        let ended = try tail.line {
            $0.contains("\(last.answer.id)") && $0.contains("completed") ? String($0) : nil
        }
        let texts = try peer.messages(of: tea).map(\.text)
        #expect(try lines(ended).first?["message"]["text"].text == texts.last)
        tail.send(SIGINT)
        #expect(try tail.end().end == .exited(130))
        let none = try server.start(["tail", "\(tea)", "--messages", "1"] + place)
        let first = try none.line { String($0) }
        #expect(try lines(first).first?["message"]["id"].text == "\(last.answer.id)")
    }
}
