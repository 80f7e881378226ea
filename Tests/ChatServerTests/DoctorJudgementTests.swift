// The doctor's checks of figures: tables, without a database or a disk.

import ChatServer
import ChatStore
import Postgres
import TLSEngine
import Testing

@Suite("The doctor's checks")
struct DoctorJudgementTests {
    /// A server without problems.
    private static func healthy() -> DatabaseHealth {
        var health = DatabaseHealth()
        health.version = 170_002
        health.versionText = "17.2"
        health.encoding = "UTF8"
        health.synchronousCommit = "on"
        health.connectionCountMax = 100
        health.reservedConnectionCount = 3
        health.connectionCount = 9
        health.roundTripSeconds = 0.001
        return health
    }

    private static func judge(_ health: DatabaseHealth, nodeCount: Int = 1) -> [DoctorCheck] {
        DatabaseJudgement.checks(
            health,
            poolSize: 9,
            nodeCount: nodeCount,
            isPooled: false,
            limits: DoctorLimits()
        )
    }

    @Test("a healthy database gets no advice")
    func healthyDatabase() {
        for check in Self.judge(Self.healthy()) {
            #expect(check.verdict == .ok, "\(check)")
            #expect(check.advice == nil)
        }
    }

    /// A change of the figures, and the expected finding.
    struct Problem: CustomTestStringConvertible, Sendable {
        let name: String
        let verdict: DoctorCheck.Verdict
        let advice: String
        let change: @Sendable (inout DatabaseHealth) -> Void
        var testDescription: String { "\(name) \(verdict): \(advice)" }
    }

    private static let problems: [Problem] = [
        Problem(name: "version", verdict: .failure, advice: "15") { $0.version = 140_011 },
        Problem(name: "version", verdict: .failure, advice: "UTF8") { $0.encoding = "SQL_ASCII" },
        Problem(name: "writable", verdict: .failure, advice: "primary") { $0.isReplica = true },
        Problem(name: "writable", verdict: .failure, advice: "free space") { $0.isDiskFull = true },
        Problem(name: "durability", verdict: .failure, advice: "fsync = on") { $0.fsync = false },
        Problem(name: "durability", verdict: .failure, advice: "synchronous_commit = on") {
            $0.synchronousCommit = "off"
        },
        Problem(name: "durability", verdict: .warning, advice: "full_page_writes") {
            $0.fullPageWrites = false
        },
        Problem(name: "clock", verdict: .warning, advice: "NTP") { $0.clockOffset = -5 },
        Problem(name: "clock", verdict: .failure, advice: "NTP") { $0.clockOffset = 600 },
        Problem(name: "connections", verdict: .failure, advice: "max_connections to") {
            $0.connectionCountMax = 10
        },
        Problem(name: "connections", verdict: .warning, advice: "max_connections to") {
            $0.connectionCount = 95
        },
        Problem(name: "transactions", verdict: .warning, advice: "pg_terminate_backend") {
            $0.oldestTransactionSeconds = 900
        },
        Problem(name: "transactions", verdict: .failure, advice: "pg_terminate_backend") {
            $0.oldestTransactionSeconds = 86400
        },
        Problem(name: "dead rows", verdict: .failure, advice: "autovacuum = on") {
            $0.autovacuum = false
        },
        Problem(name: "dead rows", verdict: .warning, advice: "VACUUM (ANALYZE) events") {
            $0.tables = [TableHealth(name: "events", liveRows: 100_000, deadRows: 90_000)]
        },
        Problem(name: "row age", verdict: .failure, advice: "FREEZE") {
            $0.transactionAge = 1_900_000_000
        },
    ]

    @Test("each problem of a database is reported alone, with advice", arguments: problems)
    func database(problem: Problem) {
        var health = Self.healthy()
        problem.change(&health)
        let wrong = Self.judge(health).filter { $0.verdict != .ok }
        #expect(wrong.map(\.name) == [problem.name])
        #expect(wrong.first?.verdict == problem.verdict)
        #expect(wrong.first?.advice?.contains(problem.advice) == true, "\(wrong)")
    }

    @Test("few dead rows, or few among many, are not reported")
    func deadRows() {
        var health = Self.healthy()
        health.tables = [
            TableHealth(name: "generations", liveRows: 0, deadRows: 900),
            TableHealth(name: "messages", liveRows: 10_000_000, deadRows: 900_000),
        ]
        #expect(Self.judge(health).allSatisfy { $0.verdict == .ok })
    }

    @Test("a slow query for the time says little about the clock")
    func slowClock() {
        var health = Self.healthy()
        health.clockOffset = 3
        health.roundTripSeconds = 6
        #expect(Self.judge(health).allSatisfy { $0.verdict == .ok })
    }

    @Test(
        "each reason for an unreachable database has its own advice",
        arguments: [
            ("FATAL:  password authentication failed for user \"stoa\"", "ALTER ROLE"),
            ("FATAL:  database \"stoa\" does not exist", "CREATE DATABASE"),
            ("FATAL:  role \"stoa\" does not exist", "CREATE ROLE"),
            (
                "connection to server at \"x\", port 1 failed: Connection refused",
                "start PostgreSQL"
            ),
            ("FATAL:  no pg_hba.conf entry for host \"10.0.0.1\"", "pg_hba.conf"),
            ("FATAL:  sorry, too many clients already", "max_connections"),
            ("FATAL:  unsupported startup parameter: statement_timeout", "--database-pooling"),
            ("could not translate host name \"db\" to address", "DNS"),
            ("FATAL:  the database system is starting up", "wait"),
            ("timeout expired", "firewall"),
            ("something that nobody knows", "log"),
        ]
    )
    func unreachable(reason: String, advice: String) {
        let check = DatabaseJudgement.unreachable(reason)
        #expect(check.verdict == .failure)
        #expect(check.advice?.contains(advice) == true, "\(check)")
    }

    @Test("a certificate's dates and names are checked for a time and a host")
    func certificates() {
        func verdicts(
            now: Int,
            names: [String] = ["chat.example.org"],
            isSelfSigned: Bool = false,
            covers: Bool? = true
        ) -> [DoctorCheck.Verdict] {
            var facts = CertificateFacts(certificateFile: "c", keyFile: "k")
            facts.host = "chat.example.org"
            facts.certificate = ServerCertificate(
                notBefore: 1_000_000,
                notAfter: 10_000_000,
                names: names,
                isSelfSigned: isSelfSigned,
                coversHost: covers
            )
            return CertificateJudgement.checks(facts, now: now, limits: DoctorLimits()).map(
                \.verdict
            )
        }
        #expect(verdicts(now: 2_000_000) == [.ok, .ok, .ok])
        #expect(verdicts(now: 9_000_000) == [.ok, .warning, .ok])
        #expect(verdicts(now: 10_000_001) == [.ok, .failure, .ok])
        #expect(verdicts(now: 999_999) == [.ok, .failure, .ok])
        #expect(verdicts(now: 2_000_000, names: []) == [.ok, .ok, .failure])
        #expect(verdicts(now: 2_000_000, covers: false) == [.ok, .ok, .failure])
        #expect(verdicts(now: 2_000_000, isSelfSigned: true) == [.ok, .ok, .warning])
    }

    @Test("models that do not fit into memory are reported, and slow kernels")
    func engine() {
        var model = ModelFacts(name: "phi", folder: "/models/phi")
        model.weightBytes = 8 << 30
        model.cacheBytes = 1 << 30
        func wrong(
            memory: Int64,
            kernels: String = "avx2",
            forced: String? = nil,
            threads: Int = 0
        ) -> [String] {
            var settings = ServerSettings()
            settings.threadCount = threads
            let machine = MachineFacts(
                kernels: kernels,
                forcedKernels: forced,
                architecture: "x86_64",
                coreCount: 4,
                memoryBytes: memory
            )
            let checks = EngineJudgement.checks([model], machine, settings: settings)
            return checks.filter { $0.verdict != .ok }.map { "\($0.verdict) \($0.name)" }
        }
        #expect(wrong(memory: 32 << 30) == [])
        #expect(wrong(memory: 13 << 30) == ["warning memory"])
        #expect(wrong(memory: 8 << 30) == ["failure memory"])
        #expect(wrong(memory: 32 << 30, kernels: "scalar") == ["warning processor"])
        #expect(wrong(memory: 32 << 30, kernels: "scalar-int8") == ["warning processor"])
        #expect(wrong(memory: 32 << 30, forced: "avx2") == [])
        #expect(wrong(memory: 32 << 30, forced: "avx3") == ["failure processor"])
        #expect(wrong(memory: 32 << 30, threads: 5) == ["warning threads"])
    }

    @Test("models that do not fit together are a warning, one that never fits is a failure")
    func memoryLimit() {
        func memory(limit: Int, _ weights: Int64...) -> DoctorCheck? {
            var settings = ServerSettings()
            settings.modelMebibytes = limit
            settings.keyValueMebibytes = 1
            let models = weights.map { weight in
                var model = ModelFacts(name: "phi", folder: "/models/phi")
                model.weightBytes = weight << 30
                return model
            }
            let machine = MachineFacts(
                kernels: "avx2",
                architecture: "x86_64",
                coreCount: 4,
                memoryBytes: 32 << 30
            )
            return EngineJudgement.checks(models, machine, settings: settings)
                .first { $0.name == "memory" }
        }
        #expect(memory(limit: 0, 8, 8)?.verdict == .ok)
        #expect(memory(limit: 10 << 10, 8)?.verdict == .ok)
        #expect(memory(limit: 10 << 10, 8, 8)?.verdict == .warning)
        #expect(memory(limit: 7 << 10, 8)?.verdict == .failure)
        #expect(memory(limit: 0, 16, 16)?.verdict == .warning, "of 28 GiB by default")
        #expect(memory(limit: 0, 29)?.verdict == .failure)
        #expect(ServerSettings().modelMemoryBytes(of: 32 << 30) == 28 << 30)
    }

    @Test("an adapter shares the memory of its model, which it needs where that is unloaded")
    func adapterMemory() {
        let machine = MachineFacts(
            kernels: "avx2",
            architecture: "x86_64",
            coreCount: 4,
            memoryBytes: 32 << 30
        )
        var settings = ServerSettings()
        settings.keyValueMebibytes = 1
        func found(unloaded: Set<String>) -> String? {
            var models = ["phi", "pirate"].map { ModelFacts(name: $0, folder: "/models/\($0)") }
            models[0].weightBytes = 8 << 30
            models[1].weightBytes = 1 << 30
            models[1].base = "phi"
            for index in models.indices {
                models[index].isUnloaded = unloaded.contains(models[index].name)
            }
            let checks = EngineJudgement.checks(models, machine, settings: settings)
            #expect(checks.filter { $0.name == "model" }.count == 2)
            return checks.first { $0.name == "memory" }?.found
        }
        for unloaded: Set<String> in [[], ["phi"], ["pirate"]] {
            let found = found(unloaded: unloaded)
            #expect(found?.contains("weights 9.66 GB, keys and values 1.05 MB") == true)
        }
        #expect(found(unloaded: ["phi", "pirate"])?.contains("weights 0 bytes") == true)
    }

    @Test("a model that administrators unloaded takes no memory, and is no problem")
    func unloadedModel() {
        var model = ModelFacts(name: "phi", folder: "/models/phi", problem: "it is damaged")
        model.weightBytes = 64 << 30
        model.isUnloaded = true
        let machine = MachineFacts(
            kernels: "avx2",
            architecture: "x86_64",
            coreCount: 4,
            memoryBytes: 32 << 30
        )
        let checks = EngineJudgement.checks([model], machine, settings: ServerSettings())
        #expect(checks.allSatisfy { $0.verdict == .ok })
        #expect(checks.first?.found == "phi: an administrator unloaded it")
    }

    @Test("the KV cache may take a quarter of the memory, unless a setting says otherwise")
    func keyValueMemory() {
        var settings = ServerSettings()
        #expect(settings.keyValueMebibytes(of: 32 << 30) == 8192)
        #expect(settings.keyValueMebibytes(of: 1 << 20) == 64)
        #expect(settings.keyValueMebibytes(of: nil) >= 64)
        settings.keyValueMebibytes = 100
        #expect(settings.keyValueMebibytes(of: 32 << 30) == 100)
    }

    @Test("a disk that is nearly full is a warning, a full one a failure")
    func disks() {
        func verdict(free: Int64?) -> DoctorCheck.Verdict {
            var facts = StorageFacts(name: "data", path: "/data")
            facts.totalBytes = 100 << 30
            facts.freeBytes = free
            return StorageJudgement.check(facts, DoctorLimits()).verdict
        }
        #expect(verdict(free: 50 << 30) == .ok)
        #expect(verdict(free: 2 << 30) == .warning)
        #expect(verdict(free: 1 << 20) == .failure)
        #expect(verdict(free: nil) == .warning)
    }

    @Test("a server reachable from other machines without TLS is a warning")
    func encryption() {
        func wrong(_ change: (inout ServerSettings) -> Void) -> [String] {
            var settings = ServerSettings()
            change(&settings)
            return NetworkJudgement.checks(.free, settings, nodes: nil)
                .filter { $0.verdict != .ok }.map(\.name)
        }
        #expect(wrong { _ in } == [])
        #expect(wrong { $0.host = "0.0.0.0" } == ["encryption"])
        #expect(
            wrong {
                $0.host = "0.0.0.0"
                $0.publicURL = "https://chat.example.org"
            } == []
        )
    }

    @Test("the report's worst result decides the exit status, and advice follows its result")
    func report() {
        let fine = DoctorCheck.ok(.network, "port", "free")
        let doubtful = DoctorCheck.warning(.storage, "data", "little room", do: .largerDisk)
        let wrong = DoctorCheck.failure(.database, "reachable", "refused", do: .startOnPort)
        #expect(DoctorReport([fine]).exitStatus == 0)
        #expect(DoctorReport([fine, doubtful]).exitStatus == 1)
        let report = DoctorReport([fine, wrong, doubtful])
        #expect(report.exitStatus == 2)
        #expect(report.checks.map(\.area) == [.storage, .database, .network])
        #expect(report.lines.last == "3 checks: 1 failure, 1 warning")
        #expect(report.lines.contains("           -> \(DoctorAdvice.startOnPort.template)"))
    }
}
