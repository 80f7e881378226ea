// Text of others, and arguments, cannot control the terminal of any command.

import ChatProtocol
import FoundationEssentials
import Postgres
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Output on a terminal")
    struct HarmlessOutputTests {
        /// Titles, clipboards, links, reports, resets and directions; with and without their ends.
        private static let attack =
            "A\u{1B}]0;owned\u{7}\u{1B}]52;c;aGk=\u{7}\u{1B}]8;;http://x.test\u{1B}\\l\u{1B}]8;;\u{7}"
            + "\u{1B}[6n\u{1B}[c\u{1B}P+q544e\u{1B}\\\u{1B}_x\u{1B}\\\u{1B}c\u{1B}[2J\u{1B}[?1049h"
            + "\u{90}x\u{9C}\u{9B}6n\u{9D}0;t\u{9C}\u{8}\u{7}\u{7F}\u{85}\u{202E}exe\u{2066}\rB&#x1b;[6n"
            + (1...0x9F).compactMap(Unicode.Scalar.init).map { "\($0)" }.joined()

        /// Commands that show what is stored, with arguments; the others only show their arguments.
        private static func readers(_ place: Place) -> [String: [[String]]] {
            let id = "\(place.conversation)"
            return [
                "chat": [["chat", id]], "tui": [["tui", id]],
                "ask": [["ask", "-c", id, "What is 2 + 3?"]],
                "send": [["send", id, "What is 2 + 3?"]],
                "tail": [["tail", id], ["tail", id, "--json"]],
                "list": [["list"], ["list", "--json"]], "names": [["names", "conversations"]],
                "show": [["show", id], ["show", id, "--json"]],
                "search": [["search", "zebra"], ["search", "zebra", "--json"]],
                "export": [["export", "--format", "text"], ["export", "--conversation", id]],
                "whoami": [["whoami"], ["whoami", "--json"]],
                "admin status": [["admin", "status"]],
                "admin users list": [
                    ["admin", "users", "list"], ["admin", "users", "list", "--json"],
                ],
                "admin users sessions": [["admin", "users", "sessions", "root"]],
                "admin teams list": [["admin", "teams", "list"]],
                "admin teams show": [["admin", "teams", "show", "\(place.team)"]],
                "admin usage": [["admin", "usage"]],
                "admin runs list": [["admin", "runs", "list"]],
                "admin models list": [["admin", "models", "list"]],
                "admin engines list": [["admin", "engines", "list"]],
                "admin audit": [["admin", "audit"], ["admin", "audit", "--json"]],
                "doctor": [["doctor", "--data-dir", place.server.dataDirectory]],
            ]
        }

        private struct Place {
            let server: StoaServer
            let conversation: ConversationID
            let team: TeamID
        }

        /// The names of all commands without subcommands.
        private static func leaves(_ server: StoaServer) throws -> [[String]] {
            func leaves(_ node: JSON, _ words: [String]) -> [[String]] {
                let below = node["subcommands"].elements.filter { $0["commandName"] != "help" }
                if below.isEmpty { return [words] }
                return below.flatMap { leaves($0, words + [$0["commandName"].text ?? ""]) }
            }
            let dump = try server.command(["--experimental-dump-help"]).output
            return leaves(try JSONDecoder().decode(JSON.self, from: Data(dump.utf8))["command"], [])
        }

        @Test("no command lets stored texts control the terminal")
        func storedTexts() throws {
            let place = try Self.place()
            let readers = Self.readers(place)
            let names = Set(try Self.leaves(place.server).map { $0.joined(separator: " ") })
            #expect(names.isSuperset(of: readers.keys), "\(Set(readers.keys).subtracting(names))")
            for command in readers.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
                try Self.check(command, place)
            }
        }

        @Test("no command lets its arguments control the terminal")
        func arguments() throws {
            let place = try Self.place()
            let leaves = try Self.leaves(place.server)
            #expect(leaves.count > 50)
            // Every command names an argument that it does not know, or that stands for nothing.
            for words in leaves where words != ["bench"] {
                try Self.check(words + [Self.attack], place)
            }
        }

        /// A server whose users, titles, teams and messages are attacks.
        private static func place() throws -> Place {
            let server = try StoaServer()
            try server.addUser("root", isAdmin: true)
            let peer = try server.connect(try server.signIn("root"))
            let conversation = try peer.createConversation(title: "zebra")
            var mirror = try peer.watch(conversation)
            let answer = try peer.say("zebra", in: conversation).answer.id
            try peer.follow(&mirror, until: answer)
            let team: TeamReply = try peer.call(
                .teamCreate,
                TeamCreateRequest(key: "team", name: "zebra")
            )
            let login = try server.command(
                ["login", server.origin, "--user", "root", "--password-stdin"],
                input: "\(server.password(of: "root"))\n"
            )
            #expect(login.end == .exited(0), "\(login.errors)")
            try server.addUser("other")
            let database = try server.database()
            // No client can store most of these, so the database is changed.
            for (column, length) in [
                ("messages SET body", 10_000), ("conversations SET title", 190),
                ("teams SET name", 60), ("sessions SET device", 190), ("users SET name", 60),
            ] {
                let isName = column.hasPrefix("users")
                let rows = try database.query(
                    "UPDATE \(column) = left('zebra ' || $1, \(length))"
                        + (isName ? " WHERE name = 'other' RETURNING 1" : " RETURNING 1"),
                    [.text(attack)]
                )
                #expect(!rows.isEmpty, "\(column)")
            }
            return Place(server: server, conversation: conversation, team: team.team.id)
        }

        /// Runs a command on a terminal of its own, and looks at every byte that it writes.
        private static func check(_ arguments: [String], _ place: Place) throws {
            let quoted = ([StoaServer.program] + arguments).map { argument in
                "'" + argument.replacing("'", with: "'\\''") + "'"
            }.joined(separator: " ")
            let path = "\(place.server.folder.path)/terminal.log"
            // It goes on until Ctrl-C.
            let limit = "timeout -s INT \(arguments.first == "tail" ? 2 : 60)"
            let program = try Program(
                "/usr/bin/script",
                ["-qefc", "exec \(limit) \(quoted)", path],
                // Keys: a closed input makes script wait for seconds.
                input: "/list\r/search zebra\r/branch\r/quit\r\u{4}\u{4}",
                keepsInputOpen: true,
                environment: [
                    "XDG_CONFIG_HOME": "\(place.server.folder.path)/config", "TERM": "xterm",
                ],
                errorPath: "\(place.server.folder.path)/script.log"
            )
            let output = try program.end().rest
            let wrong = wrong(in: output, isFullScreen: arguments.first == "tui")
            #expect(wrong.isEmpty, "\(arguments.prefix(4)): \(wrong) in \(output.debugDescription)")
            let log = try? String(contentsOfFile: path, encoding: .utf8)
            #expect(log != nil, "\(arguments.prefix(4)) wrote other bytes than UTF-8")
        }

        /// The characters that are neither text nor part of a sequence of this program: styles, and
        /// movements of its line editor or its full screen.
        private static func wrong(in output: String, isFullScreen: Bool) -> [Unicode.Scalar] {
            // The terminal shows the end of the input so.
            let scalars = Array(output.replacing("^D\u{8}\u{8}", with: "").unicodeScalars)
            var wrong: [Unicode.Scalar] = []
            var index = 0
            while index < scalars.count {
                let (scalar, next) = (scalars[index], scalars[(index + 1)...].first)
                if scalar == "\u{1B}", next == "[" {
                    let parameters = scalars[(index + 2)...].prefix {
                        "0123456789;?".contains(Character($0))
                    }
                    let end = index + 2 + parameters.count
                    let final = end < scalars.count ? scalars[end] : " "
                    let modes = ["?2004", "?2026", "?25"] + (isFullScreen ? ["?1049", "?7"] : [])
                    let isMode = modes.contains(
                        String(String.UnicodeScalarView(parameters))
                    )
                    let isOurs =
                        isMode
                        ? "hl".unicodeScalars.contains(final)
                        : (isFullScreen ? "mKJH" : "mKJABCDG").unicodeScalars.contains(final)
                    if !isOurs { wrong.append(scalar) }
                    index = end + 1
                    continue
                }
                let isEnd =
                    scalar == "\n" || scalar == "\t"
                    || scalar == "\r" && (next == "\n" || next == "\u{1B}" || next == "\r")
                let isControl =
                    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    || (0x202A...0x202E).contains(scalar.value)
                    || (0x2066...0x2069).contains(scalar.value)
                if isControl, !isEnd { wrong.append(scalar) }
                index += 1
            }
            return wrong
        }
    }
}
