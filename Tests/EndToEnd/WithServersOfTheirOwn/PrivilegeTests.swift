// The server works with minimal privileges, and logs no secrets.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Postgres
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Least privilege", .serialized)
    struct PrivilegeTests {
        private static let grants = """
            CREATE ROLE stoa_server LOGIN;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO stoa_server;
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO stoa_server;
            REVOKE UPDATE, DELETE ON audit_log, ledger FROM stoa_server;
            GRANT UPDATE (actor_name, detail) ON audit_log TO stoa_server;
            REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM stoa_server;
            """

        @Test("a server whose role may change only data works completely")
        func role() throws {
            let owner = try StoaServer()
            try owner.addUser("ann", isAdmin: true)
            let database = try owner.database()
            try database.run(Self.grants)
            // The statements of the documentation are executed.
            let documented = try String(contentsOfFile: Self.documentation, encoding: .utf8)
            for line in Self.grants.split(separator: "\n").dropFirst() {
                #expect(documented.contains(line), "docs/run/database.md lacks: \(line)")
            }
            let server = try StoaServer(
                beside: owner,
                ["--database-url", try owner.databaseParameters(of: "stoa_server")]
            )
            let token = try server.signIn("ann")
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let answer = try peer.say("Hello!", in: conversation).answer.id
            try peer.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .complete)
            let key = KeyCreateRequest(name: "backup", scopes: [.read])
            _ = try peer.call(.keyCreate, key, as: KeyCreateReply.self)
            let log = try peer.call(.auditList, AuditListRequest(), as: AuditListReply.self)
            #expect(log.entries.contains { $0.action == "key.created" })
            let own: HTTPHeaders = [.authorization: "Bearer \(token)"]
            let file = try server.get("/api/v1/export?format=stoa", headers: own)
            #expect(file.status == 200 && file.text.contains("Hello!"))
            let deletion = ConversationRequest(conversation: conversation)
            _ = try peer.call(.conversationDelete, deletion, as: EmptyReply.self)

            let limited = try owner.database(as: "stoa_server")
            for statement in [
                "DELETE FROM audit_log", "UPDATE audit_log SET action = ''",
                "UPDATE audit_log SET actor_name = 'x'", "UPDATE ledger SET used = 0",
                "CREATE TABLE x ()",
                "DROP TABLE messages", "DELETE FROM schema_migrations",
            ] {
                #expect(throws: PostgresError.self, "\(statement)") { try limited.run(statement) }
            }
            #expect(!server.log.contains("permission denied"), "\(server.log)")
            #expect(try server.stop() == .exited(0))
        }

        @Test(
            "no message, password or token is in the log, at any level",
            arguments: ["text", "json"]
        )
        func logs(format: String) throws {
            let metricsToken = "metrics-of-nobody's-business"
            let server = try StoaServer(
                ["--log-level", "trace", "--log-format", format],
                environment: ["STOA_METRICS_TOKEN": metricsToken]
            )
            try server.addUser("ann", isAdmin: true)
            let token = try server.signIn("ann")
            let wrong = SignInRequest(username: "ann", password: "wrong-battery-staple")
            #expect(try server.post("/api/v1/session", wrong).status == 401)
            let peer = try server.connect(token)
            let conversation = try peer.createConversation(
                title: "title-of-nobody's-business",
                systemPrompt: "You are prompt-of-nobody's-business."
            )
            var mirror = try peer.watch(conversation)
            let question = "question-of-nobody's-business"
            let answer = try peer.say(question, in: conversation).answer.id
            try peer.follow(&mirror, until: answer)
            let search = SearchRequest(query: question)
            _ = try peer.call(.search, search, as: SearchReply.self)
            let key = try peer.call(
                .keyCreate,
                KeyCreateRequest(name: "backup", scopes: [.read]),
                as: KeyCreateReply.self
            )
            // Paths and headers contain tokens, too.
            let link = try server.get("/api/v1/shared/link-of-nobody's-business")
            #expect(link.status == 404)
            #expect(try server.get("/page-of-nobody's-business").status == 404)
            let monitor: HTTPHeaders = [.authorization: "Bearer \(metricsToken)"]
            #expect(try server.get("/metrics", headers: monitor).status == 200)
            // A value that cannot be stored fails inside the database, whose errors repeat values.
            _ = try? peer.say("nul-of-nobody's-business \u{0}", in: conversation)
            #expect(try server.stop() == .exited(0))
            let log = try String(contentsOfFile: "\(server.folder.path)/serve.log", encoding: .utf8)
            #expect(log.contains("model ready"))
            let secrets = [
                server.password(of: "ann"), "wrong-battery-staple", token, key.secret,
                "of-nobody's-business", mirror.text(of: answer),
            ]
            for secret in secrets { #expect(!log.contains(secret), "\(secret) is in the log") }
            if format == "json" { try expectRequests(log) }
        }

        /// Request lines contain the request and its result.
        private func expectRequests(_ log: String) throws {
            struct Line: Decodable {
                let message: String
                let metadata: [String: String]
            }
            let lines = try log.split(separator: "\n").filter { $0.hasPrefix("{") }.map { line in
                try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            }
            let answered = lines.filter { $0.message == "answered" }.map(\.metadata)
            let question = answered.first { $0["operation"] == "message.send" }
            #expect(question?["result"] == "ok")
            #expect(question?["request"]?.wholeMatch(of: /\d+-\d+/) != nil)
            let link = answered.first { $0["route"] == "/api/v1/shared/{token}" }
            #expect(link?["status"] == "404" && link?["method"] == "GET")
            let requests = answered.compactMap { $0["request"] }
            #expect(Set(requests).count == requests.count, "one line for each request")
        }

        private static let documentation = "\(SharedFiles.packageRoot)/docs/run/database.md"
    }
}
