// The doctor on real installations, each broken in one way on purpose.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Networking
import Postgres
import TestSupport
import Testing

@Suite("The doctor")
struct DoctorTests {
    /// A folder, a database, and settings for them.
    private struct Installation {
        let folder: TemporaryFolder
        let database: TestDatabase
        var settings: ServerSettings
        var options = Doctor.Options()

        init(migrations: [Migration] = Node.schema) throws {
            folder = try TemporaryFolder()
            database = try TestCluster.database(migrations: migrations)
            settings = ServerSettings()
            settings.port = 0
            settings.dataDirectory = folder.path
            settings.databaseURL = "\(database.configuration)"
        }

        func examine() async -> DoctorReport {
            await Doctor.examine(settings, options: options, logger: Logger(label: "test"))
        }

        /// The check with a name.
        func check(_ area: DoctorCheck.Area, _ name: String) async throws -> DoctorCheck {
            let report = await examine()
            return try #require(
                report.checks.first { $0.area == area && $0.name == name },
                "\(report.lines)"
            )
        }
    }

    @Test("reports that the tests' own database does not flush commits")
    func throwawayDatabase() async throws {
        let check = try await Installation().check(.database, "durability")
        #expect(check.verdict == .failure)
        #expect(check.advice?.contains("fsync = on") == true)
    }

    @Test("distinguishes a complete schema from one with pending migrations")
    func pendingMigrations() async throws {
        #expect(try await Installation().check(.schema, "migrations").verdict == .ok)
        let check = try await Installation(migrations: Array(Node.schema.dropLast())).check(
            .schema,
            "migrations"
        )
        #expect(check.verdict == .warning)
        #expect(check.advice?.contains("stoa migrate") == true)
        #expect(check.found.contains(Node.schema.last?.name ?? "-"))
    }

    @Test("recommends a newer program if the schema is newer")
    func newerSchema() async throws {
        let installation = try Installation()
        try installation.database.run(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'later', 'x')"
        )
        let check = try await installation.check(.schema, "migrations")
        #expect(check.verdict == .failure)
        #expect(check.advice?.contains("newer") == true)
        // The tables of such a schema are unknown to this program.
        let report = await installation.examine()
        #expect(!report.checks.contains { $0.area == .work })
    }

    @Test("names a migration that was applied from another script")
    func editedSchema() async throws {
        let installation = try Installation()
        try installation.database.run(
            "UPDATE schema_migrations SET checksum = 'x' WHERE version = 2"
        )
        let check = try await installation.check(.schema, "migrations")
        #expect(check.verdict == .failure)
        #expect(check.found.contains(Node.schema[1].name))
    }

    @Test("gives advice for an unreachable database, and continues")
    func unreachableDatabase() async throws {
        var installation = try Installation()
        installation.settings.databaseURL = "postgresql://stoa:secret-word@127.0.0.1:1/stoa"
        let report = await installation.examine()
        let check = try #require(report.checks.first { $0.name == "reachable" })
        #expect(check.verdict == .failure)
        #expect(check.advice?.contains("start PostgreSQL") == true)
        #expect(report.checks.contains { $0.area == .engine })
        #expect(!report.lines.joined().contains("secret-word"))
    }

    @Test("reports a full disk, by the threshold")
    func fullDisk() async throws {
        var installation = try Installation()
        installation.options.limits.freeBytesMin = .max
        let check = try await installation.check(.storage, "data")
        #expect(check.verdict == .failure)
        #expect(check.advice?.contains("larger disk") == true)
    }

    @Test("reports an expired certificate, one of another key, and one for another name")
    func certificates() async throws {
        var installation = try Installation()
        let mine = try SelfSignedCertificate(in: installation.folder)
        let otherFolder = try TemporaryFolder()
        let other = try SelfSignedCertificate(in: otherFolder)
        installation.settings.tlsCertificates = [mine.certificateFile]
        installation.settings.tlsKeys = [mine.keyFile]
        let soon = try await installation.check(.certificate, "dates")
        #expect(soon.verdict == .warning)
        #expect(soon.advice?.contains("renew") == true)

        installation.options.time = Int(Timestamp.now.milliseconds / 1000) + 7200
        #expect(try await installation.check(.certificate, "dates").verdict == .failure)
        #expect(try await installation.check(.certificate, "names").found.contains("localhost"))

        installation.settings.publicURL = "https://chat.example.org"
        let names = try await installation.check(.certificate, "names")
        #expect(names.verdict == .failure)
        #expect(names.found.contains("chat.example.org"))

        installation.settings.tlsKeys = [other.keyFile]
        let files = try await installation.check(.certificate, "files")
        #expect(files.verdict == .failure)
        #expect(files.found.contains(other.keyFile))
    }

    @Test("distinguishes a port taken by another program from one taken by our server")
    func ports() async throws {
        var installation = try Installation()
        installation.settings.nodeName = "this one"
        let installationAtPort = installation
        let (stranger, ours) = try await EventLoop.run { loop in
            let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
            let listener = try Listener(
                loop: loop,
                address: address,
                configuration: ListenerConfiguration()
            ) { _ in }
            var installation = installationAtPort
            installation.settings.port = Int(listener.address.port ?? 0)
            let stranger = try await installation.check(.network, "port")
            try installation.database.run(
                "INSERT INTO nodes (id, name) VALUES (gen_random_uuid(), 'this one')"
            )
            let ours = try await installation.check(.network, "port")
            listener.close()
            return (stranger, ours)
        }
        #expect(stranger.verdict == .failure)
        #expect(stranger.found.contains("another program"))
        #expect(ours.verdict == .ok)
    }

    @Test("reports answers that no node takes over, and what to do")
    func stuckAnswers() async throws {
        var installation = try Installation()
        let configuration = installation.database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration, makesAnswers: false)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            _ = try await node.ask("Hello?", in: conversation, by: user)
            await node.end()
        }
        #expect(try await installation.check(.work, "answers").found.contains("1 wait"))
        try installation.database.run(
            """
            UPDATE generations SET lease_owner = gen_random_uuid(),
                lease_until = now() - interval '5 minutes'
            """
        )
        let alone = try await installation.check(.work, "abandoned answers")
        #expect(alone.verdict == .warning)
        #expect(alone.advice?.contains("start stoa serve") == true)
        try installation.database.run(
            "INSERT INTO nodes (id, name) VALUES (gen_random_uuid(), 'idle one')"
        )
        let ignored = try await installation.check(.work, "abandoned answers")
        #expect(ignored.verdict == .failure)
        #expect(ignored.advice?.contains("idle one") == true)

        try installation.database.run("DELETE FROM generations")
        installation.options.isThorough = true
        #expect(try await installation.check(.work, "lost answers").verdict == .failure)
    }

    @Test("reports a server without administrators")
    func administrators() async throws {
        let installation = try Installation()
        #expect(try await installation.check(.work, "users").verdict == .warning)
        try installation.database.run(
            "INSERT INTO users (id, name, password_hash) VALUES (gen_random_uuid(), 'ann', 'x')"
        )
        #expect(try await installation.check(.work, "users").verdict == .failure)
        try installation.database.run("UPDATE users SET is_admin = true")
        #expect(try await installation.check(.work, "users").verdict == .ok)
    }

    @Test("reports a damaged model, with the file")
    func models() async throws {
        var installation = try Installation()
        let demo = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
        installation.settings.models = [demo]
        #expect(try await installation.check(.engine, "model").verdict == .ok)
        installation.settings.models = ["\(installation.folder.path)/nothing"]
        let check = try await installation.check(.engine, "model")
        #expect(check.verdict == .failure)
        #expect(check.advice?.contains("--model") == true)
    }

    @Test("a downloaded model that is gone is a failure, unless it is unloaded and not the default")
    func unloadedModels() async throws {
        let installation = try Installation()
        func check() async throws -> DoctorCheck {
            let report = await installation.examine()
            return try #require(report.checks.last { $0.area == .engine && $0.name == "model" })
        }
        try installation.database.run(
            "INSERT INTO models (name, revision, fetched_at) VALUES ('org/gone', 'main', now())"
        )
        #expect(try await check().foundCode?.code == "missing_model")
        try installation.database.run(
            "INSERT INTO model_choices (name, is_unloaded) VALUES ('org/gone', true)"
        )
        #expect(try await check().verdict == .ok)
        #expect(try await check().foundCode?.code == "unloaded_model")
        try installation.database.run(
            "UPDATE model_choices SET is_unloaded = false, is_default = true"
        )
        #expect(try await check().verdict == .failure)
    }
}
