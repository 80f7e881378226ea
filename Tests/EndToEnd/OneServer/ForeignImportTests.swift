// Imports of other systems' files over HTTP.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

/// An export of another system, a word in it, and the expected number of conversations.
struct ForeignFile: Sendable, CustomTestStringConvertible {
    let name: String
    let word: String
    let conversations: Int
    let messages: Int
    /// One of the reasons why parts of it are left out.
    let skipped: String

    var testDescription: String { name }

    static let all = [
        ForeignFile(
            name: "chatgpt.zip",
            word: "croissant",
            conversations: 2,
            messages: 13,
            skipped: "files that are no conversations"
        ),
        ForeignFile(
            name: "openwebui.json",
            word: "MMXXVI",
            conversations: 1,
            messages: 5,
            skipped: "it is not an object"
        ),
        ForeignFile(
            name: "librechat-flat.json",
            word: "Green",
            conversations: 1,
            messages: 6,
            skipped: "a call of a tool"
        ),
    ]

    static func path(_ name: String) -> String {
        "\(SharedFiles.packageRoot)/Tests/TransfersTests/Fixtures/\(name)"
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(name))))
    }
}

extension EndToEnd.OneServer {
    @Test(
        "another system's file is imported, and a repeated import creates nothing",
        arguments: ForeignFile.all
    )
    func foreignImport(file: ForeignFile) throws {
        let body = try ForeignFile.bytes(file.name)
        func report(_ query: String = "") throws -> ImportAnswer.Report {
            let answer = try call(.post, "/api/v1/import\(query)", by: "jo", body: body)
            #expect(answer.status == 200, "\(answer.text)")
            return try answer.decode(as: ImportAnswer.self).report
        }
        let dry = try report("?dry_run=true")
        #expect(dry.created["message"] == file.messages)
        let first = try report()
        #expect(first.created["conversation"] == file.conversations)
        #expect(first.created["message"] == file.messages)
        #expect(first.found.isEmpty)
        #expect(first.skipped.reasons.keys.contains(file.skipped))
        let second = try report()
        #expect(second.created.isEmpty)
        #expect(second.found["message"] == file.messages)
        let mine = try call(.get, "/api/v1/export?format=stoa", by: "jo")
        #expect(mine.text.contains(file.word))
        let whole = try call(.post, "/api/v1/import?scope=all", by: administrator, body: body)
        #expect(whole.status == 400)
    }

    @Test(
        "of a damaged file of another system nothing is imported, and nothing is left on disk",
        arguments: ["chatgpt.zip", "chatgpt.json"]
    )
    func damagedForeignFile(name: String) throws {
        let body = Array(try ForeignFile.bytes(name).dropLast(10))
        let answer = try call(.post, "/api/v1/import", by: "fay", body: body)
        #expect(answer.status == 400)
        let reply = try answer.decode(as: ImportAnswer.self)
        #expect(reply.report.created.isEmpty)
        #expect(reply.error?.code == .badRequest)
        let hers = try call(.get, "/api/v1/export?format=stoa", by: "fay")
        #expect(!hers.text.contains("croissant"))
        let server = try SharedServer.server()
        try eventually("the file's end") {
            try server.spooledFiles() == SpooledFiles(named: 0, held: 0)
        }
    }

    @Test("a client that disconnects while it sends a file leaves nothing, and may send it again")
    func goneWhileSending() throws {
        let server = try SharedServer.server()
        let body = try ForeignFile.bytes("chatgpt.zip")
        do {
            let socket = try BlockingSocket(port: server.port)
            let token = try #require(SharedServer.tokens["eli"])
            let head = """
                POST /api/v1/import HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(token)\r
                Content-Length: \(body.count)\r
                \r

                """
            try withExtendedLifetime(socket) {
                try socket.send(Array(head.utf8) + body.dropLast(), Deadline(.seconds(10)))
                try eventually("the file on its way") {
                    try server.spooledFiles() == SpooledFiles(named: 0, held: 1)
                }
                let other = try call(.post, "/api/v1/import", by: "eli", body: body)
                #expect(other.status == 503)
            }
        }
        try eventually("its end") {
            try server.spooledFiles() == SpooledFiles(named: 0, held: 0)
        }
        let answer = try call(.post, "/api/v1/import", by: "eli", body: body)
        #expect(try answer.decode(as: ImportAnswer.self).report.created["conversation"] == 2)
    }
}

/// The spooled files of a server.
private struct SpooledFiles: Equatable {
    /// With a name in its temporary folder.
    var named: Int
    /// Without a name, held open.
    var held: Int
}

extension StoaServer {
    fileprivate func spooledFiles() throws -> SpooledFiles {
        let files = FileManager.default
        let prefix = "\(folder.path)/stoa-import-"
        let named = try files.contentsOfDirectory(atPath: folder.path)
            .count(where: { $0.hasPrefix("stoa-import-") })
        // Processes of other users, or that have ended, cannot be inspected.
        let processes = try files.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        let descriptors = processes.flatMap { process in
            let open = "/proc/\(process)/fd"
            return ((try? files.contentsOfDirectory(atPath: open)) ?? []).map { "\(open)/\($0)" }
        }
        let held = descriptors.count(where: { descriptor in
            (try? files.destinationOfSymbolicLink(atPath: descriptor))?.hasPrefix(prefix) == true
        })
        return SpooledFiles(named: named, held: held)
    }
}
