// The options of `stoa export`, `import`, `chat`, `admin` and `doctor`: each has an effect.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.OneServer {
    /// Runs a command on the shared server as a user who is already signed in.
    private func run(
        _ arguments: [String],
        as user: String
    ) throws -> (end: Program.End, output: String, errors: String) {
        let server = try SharedServer.server()
        let place = ["--server", server.origin, "--user", user]
        _ = try server.command(
            ["chat", "--password-stdin"] + place,
            input: "\(server.password(of: user))\n"
        )
        return try server.command(arguments + place)
    }

    private func said(in peer: Peer, title: String) throws -> ConversationID {
        let conversation = try peer.createConversation(
            title: title,
            settings: GenerationSettings(maxTokens: 4)
        )
        var mirror = try peer.watch(conversation)
        _ = try peer.ask("What is 2 + 3?", in: conversation, &mirror)
        return conversation
    }

    @Test("stoa export writes what its options select, and stoa import reads it")
    func transferOptions() throws {
        let server = try SharedServer.server()
        let folder = try TemporaryFolder()
        let (jo, fay) = (try connect("jo"), try connect("fay"))
        let (mine, other) = (try said(in: jo, title: "Mine"), try said(in: jo, title: "Other"))
        _ = try said(in: fay, title: "Fay's")
        func export(_ options: [String], as user: String = "jo") throws -> String {
            let (end, output, errors) = try run(["export"] + options, as: user)
            #expect(end == .exited(0), "\(options): \(errors)")
            return output
        }
        let all = try export([])
        #expect(all.contains("\(mine)") && all.contains("\(other)") && !all.contains("Fay's"))
        let one = try export(["--conversation", "\(mine)"])
        #expect(one.contains("\(mine)") && !one.contains("\(other)"))
        #expect(
            try export(["--conversation", "\(mine)", "--format", "text"]).hasPrefix("Mine\n====")
        )
        #expect(try export(["--all"], as: "root").contains("Fay's"))
        #expect(try run(["export", "--all"], as: "jo").end == .exited(77))
        let team: TeamReply = try jo.call(
            .teamCreate,
            TeamCreateRequest(key: "options", name: "Options")
        )
        let ofTeam = try export(["--team", "\(team.team.id)"])
        #expect(ofTeam.contains("Options") && !ofTeam.contains("\(mine)"))

        // An interrupted export is resumed, with the same result.
        let file = "\(folder.path)/jo.ndjson"
        #expect(try export(["--output", file]).isEmpty)
        let whole = try Data(contentsOf: URL(filePath: file))
        try whole.prefix(whole.count * 2 / 3).write(to: URL(filePath: "\(file).part"))
        _ = try export(["--output", file, "--resume"])
        let resumed = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
        #expect(resumed.contains("\(mine)") && resumed.contains("\(other)"))
        let direct = try server.command(
            [
                "export", "--database", "--conversation", "\(mine)", "--data-dir",
                server.dataDirectory,
            ]
        )
        #expect(direct.output.contains("\(mine)"), "\(direct.errors)")

        let dry = try run(["import", file, "--dry-run"], as: "cy")
        #expect(dry.output.hasPrefix("would be created: "), "\(dry)")
        let made = try run(["import", file], as: "cy")
        #expect(made.output.hasPrefix("created: "), "\(made)")
        let again = try run(["import", file, "--dry-run"], as: "cy")
        #expect(again.output.hasPrefix("nothing to import"), "\(again)")
        #expect(try run(["import", file, "--all"], as: "cy").end == .exited(77))
        #expect(try run(["import", file, "--all"], as: "root").end == .exited(0))
        let loaded = try server.command(
            ["import", "--database", "--data-dir", server.dataDirectory, "--user", "dee", file]
        )
        #expect(loaded.output.hasPrefix("created: "), "\(loaded)")
    }

    @Test("stoa chat opens the newest conversation, a given one, or a new one")
    func chatOptions() throws {
        let peer = try connect("eli")
        let first = try said(in: peer, title: "First")
        _ = try said(in: peer, title: "Second")
        func count() throws -> Int {
            let list: ConversationListReply = try peer.call(
                .conversationList,
                ConversationListRequest(limit: 50)
            )
            return list.conversations.count
        }
        let before = try count()
        let server = try SharedServer.server()
        func open(_ options: [String]) throws -> String {
            let (end, _, errors) = try server.command(
                ["chat", "--server", server.origin, "--user", "eli", "--password-stdin"] + options,
                input: "\(server.password(of: "eli"))\n/list\n"
            )
            #expect(end == .exited(0), "\(errors)")
            return errors
        }
        #expect(try open([]).contains("Second (eli) · open"))
        #expect(try open(["\(first)"]).contains("First (eli) · open"))
        #expect(try count() == before)
        _ = try open(["--new"])
        #expect(try count() == before + 1)
    }

    @Test("stoa admin audit, users and usage list what their options select")
    func adminOptions() throws {
        let root = try connect(administrator)
        func admin(_ arguments: [String]) throws -> String {
            let (end, output, errors) = try run(["admin"] + arguments, as: administrator)
            #expect(end == .exited(0), "\(arguments): \(errors)")
            return output
        }
        let created = try admin(["users", "create", "opal", "--admin"])
        #expect(created.contains("/#reset="))
        #expect(try admin(["users", "list", "--query", "opal"]).contains("administrator"))
        let team: TeamReply = try root.call(
            .teamCreate,
            TeamCreateRequest(key: "audited", name: "Audited")
        )
        #expect(try admin(["audit", "--actor", administrator]).contains("user.created"))
        #expect(try admin(["audit", "--actor", "opal"]).split(separator: "\n").count == 1)
        let ofTeam = try admin(["audit", "--team", "\(team.team.id)"])
        #expect(!ofTeam.contains("user.created"), "\(ofTeam)")
        #expect(try admin(["audit", "--to", "2020-01-01"]).split(separator: "\n").count == 1)
        #expect(try admin(["audit", "--from", "2020-01-01"]).contains("user.created"))
        #expect(try admin(["audit", "--from", "9020-01-01"]).split(separator: "\n").count == 1)
        let limited = try admin(["users", "list", "--limit", "1"])
        #expect(limited.split(separator: "\n").count == 2)
        #expect(
            try admin(["usage", "--team", "\(team.team.id)"]).split(separator: "\n").count == 1
        )
        #expect(try admin(["usage", "--from", "9020-01-01"]).split(separator: "\n").count == 1)
        #expect(try admin(["usage", "--by", "day"]).hasPrefix("DAY"))

        _ = try SharedServer.server().signIn("gus")
        let sessions = try admin(["users", "sessions", "gus", "--json"])
        let reply = try JSONDecoder().decode(SessionListReply.self, from: Data(sessions.utf8))
        let newest = try #require(reply.sessions.max { $0.createdAt < $1.createdAt })
        #expect(try admin(["users", "revoke", "gus", "--session", "\(newest.id)"]) == "1 ended\n")
        let daily = try admin(["users", "limit", "opal", "--daily", "5"])
        #expect(daily == "opal: 5 tokens a day\n")
    }

    @Test("stoa doctor --thorough reads all messages")
    func doctorOptions() throws {
        let server = try SharedServer.server()
        func names(_ options: [String]) throws -> Set<String> {
            let (_, output, errors) = try server.command(
                ["doctor", "--json", "--data-dir", server.dataDirectory] + options
            )
            let report = try JSONDecoder().decode(JSON.self, from: Data(output.utf8))
            #expect(errors.isEmpty, "\(errors)")
            return Set(report["checks"].elements.compactMap { $0["name"].text })
        }
        let usual = try names([])
        #expect(try names(["--thorough"]).isStrictSuperset(of: usual))
    }
}
