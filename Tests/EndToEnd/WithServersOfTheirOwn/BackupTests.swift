// `stoa backup`, `stoa backup verify` and `stoa restore`.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Backups")
    struct BackupTests {
        private static let earlier = "What is 2 + 3?"
        private static let later = "Who are you?"

        /// The texts of the users' messages in a data directory.
        private func questions(_ server: StoaServer, in folder: String) throws -> [String] {
            let export = try server.command(
                ["export", "--database", "--all", "--format", "stoa", "--data-dir", folder]
            )
            try #require(export.end == .exited(0), "\(export.errors)")
            return [Self.earlier, Self.later].filter { export.output.contains($0) }
        }

        private func say(_ text: String, _ peer: Peer) throws {
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            _ = try peer.ask(text, in: conversation, &mirror)
        }

        @Test("made of a running server, it has what was acknowledged before, and a new epoch")
        func running() throws {
            let server = try StoaServer()
            try server.addUser("ada")
            let peer = try server.connect(try server.signIn("ada"))
            try say(Self.earlier, peer)
            let folder = "\(server.dataDirectory)-backup"
            let made = try server.command(
                ["backup", folder, "--rate", "100", "--data-dir", server.dataDirectory]
            )
            try #require(made.end == .exited(0), "\(made.errors)")
            try say(Self.later, peer)

            let scratch = "\(server.dataDirectory)-scratch"
            let verified = try server.command(["backup", "verify", folder, "--scratch", scratch])
            // What it made there is gone.
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
            // There is no administrator.
            #expect(verified.end == .exited(2))
            #expect(verified.output.contains("it balances"), "\(verified.output)")
            #expect(verified.output.contains("checks: 1 failure"), "\(verified.output)")

            let restored = "\(server.dataDirectory)-restored"
            let end = try server.command(["restore", folder, "--data-dir", restored])
            try #require(end.end == .exited(0), "\(end.errors)")
            #expect(try questions(server, in: restored) == [Self.earlier])
            let again = try server.command(["restore", folder, "--data-dir", restored])
            #expect(again.end == .exited(73))
            #expect(again.errors.contains("has data already"), "\(again.errors)")

            let epoch = { (folder: String) in
                let output = try server.command(
                    ["export", "--database", "--all", "--data-dir", folder]
                ).output
                return try #require(
                    output.split(separator: "\n").first?.firstMatch(of: #/"server":"([^"]+)"/#)
                ).output.1
            }
            #expect(try epoch(restored) != epoch(server.dataDirectory))
        }

        @Test("with archived WAL, any later moment is restored")
        func archived() throws {
            let folderOfArchive = try TemporaryFolder()
            let archive = folderOfArchive.path
            // PostgreSQL's user is another one if the tests run as root.
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777],
                ofItemAtPath: archive
            )
            let server = try StoaServer(["--wal-archive", archive])
            try server.addUser("ada")
            let peer = try server.connect(try server.signIn("ada"))
            let folder = "\(server.dataDirectory)-backup"
            let made = try server.command(
                ["backup", folder, "--data-dir", server.dataDirectory]
            )
            try #require(made.end == .exited(0), "\(made.errors)")
            try say(Self.earlier, peer)
            let moment = Date.now.ISO8601Format(.init(includingFractionalSeconds: true))
            try say(Self.later, peer)
            // PostgreSQL archives the rest when it stops.
            #expect(try server.stop() == .exited(0))

            for (until, expected) in [
                ([], [Self.earlier, Self.later]), (["--until", moment], [Self.earlier]),
            ] {
                let restored = "\(server.dataDirectory)-\(until.count)"
                let end = try server.command(
                    ["restore", folder, "--data-dir", restored, "--archive", archive] + until
                )
                try #require(end.end == .exited(0), "\(end.errors)")
                #expect(try questions(server, in: restored) == expected)
            }
            withExtendedLifetime(folderOfArchive) {}
        }

        @Test("a damaged one is refused, and leaves no database")
        func damaged() throws {
            let server = try StoaServer()
            try server.addUser("ada")
            let folder = "\(server.dataDirectory)-backup"
            _ = try server.command(["backup", folder, "--data-dir", server.dataDirectory])
            let manifest = "\(folder)/backup_manifest"
            let text = try String(contentsOfFile: manifest, encoding: .utf8)
            let name = try #require(text.firstMatch(of: #/"Path": "base/[0-9]+/[0-9]+", "Size": /#))
            try text.replacing(name.output, with: name.output + "1", maxReplacements: 1)
                .write(toFile: manifest, atomically: true, encoding: .utf8)
            let restored = "\(server.dataDirectory)-restored"
            let end = try server.command(["restore", folder, "--data-dir", restored])
            #expect(end.end == .exited(73))
            #expect(end.errors.contains("pg_verifybackup failed"), "\(end.errors)")
            #expect(!FileManager.default.fileExists(atPath: "\(restored)/postgres/data"))
        }

        @Test("a database of one's own is left to its own tools")
        func external() throws {
            let server = try StoaServer()
            let url = "postgresql://u:secret@127.0.0.1:1/x"
            let end = try server.command(["backup", "/nowhere/b", "--database-url", url])
            #expect(end.end == .exited(78))
            #expect(end.errors.contains("pgBackRest"), "\(end.errors)")
            #expect(!end.errors.contains("secret"))
        }
    }
}
