// Exports and imports over the wire.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    func call(
        _ method: HTTPMethod,
        _ target: String,
        by user: String,
        body: [UInt8] = []
    ) throws -> HTTPAnswer {
        let token = try #require(SharedServer.tokens[user])
        return try HTTPCall.send(
            method,
            target,
            port: SharedServer.server().port,
            headers: [.authorization: "Bearer \(token)"],
            body: body
        )
    }

    struct ImportAnswer: Decodable {
        let report: Report
        let error: WireError?

        struct Report: Decodable {
            let created: [String: Int]
            let found: [String: Int]
            let skipped: Tally
        }

        struct Tally: Decodable {
            let reasons: [String: Int]
        }
    }

    @Test("one user's export is imported by another, and a repeated import creates nothing")
    func transfer() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation(title: "A <b>title</b>")
        let sent = try owner.say("What is 2 + 3?", in: conversation)
        var mirror = try owner.watch(conversation)
        try owner.follow(&mirror, until: sent.answer.id)

        let path = "/api/v1/conversations/\(conversation)/export"
        let file = try call(.get, "\(path)?format=stoa", by: "hal")
        #expect(file.status == 200)
        #expect(file.text.hasSuffix("}\n"))
        let dry = try call(.post, "/api/v1/import?dry_run=true", by: "ivy", body: file.body)
        #expect(try dry.decode(as: ImportAnswer.self).report.created["message"] == 2)
        let first = try call(.post, "/api/v1/import", by: "ivy", body: file.body)
        #expect(try first.decode(as: ImportAnswer.self).report.created["message"] == 2)
        let second = try call(.post, "/api/v1/import", by: "ivy", body: file.body)
        let report = try second.decode(as: ImportAnswer.self).report
        #expect(report.created.isEmpty)
        #expect(report.found["conversation"] == 1)

        let mine = try call(.get, "/api/v1/export?format=text", by: "ivy")
        #expect(mine.text.contains("What is 2 + 3?"))
        let page = try call(.get, "\(path)?format=html", by: "hal")
        #expect(page.text.contains("A &lt;b&gt;title&lt;/b&gt;"))
        #expect(try call(.get, "\(path)?format=stoa", by: "ivy").status == 404)
    }

    @Test("a truncated or empty file is refused, with a report of what was imported")
    func badImports() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation(title: "Cut")
        let path = "/api/v1/conversations/\(conversation)/export?format=stoa"
        let file = try call(.get, path, by: "hal").body
        let cut = try call(.post, "/api/v1/import", by: "ivy", body: Array(file.dropLast(10)))
        #expect(cut.status == 400)
        #expect(try cut.decode(as: ImportAnswer.self).error?.code == .badRequest)
        #expect(try call(.post, "/api/v1/import", by: "ivy", body: [0x50, 0x4B]).status == 400)
        #expect(try call(.post, "/api/v1/import?scope=all", by: "ivy", body: file).status == 403)
        #expect(try call(.get, "/api/v1/export?scope=all", by: "ivy").status == 403)
        #expect(try call(.get, "/api/v1/export?scope=moon", by: "ivy").status == 400)
        #expect(try call(.get, "/api/v1/export?format=moon", by: "ivy").status == 400)
    }
}
