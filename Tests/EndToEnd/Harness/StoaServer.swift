// `stoa serve` with a data directory of its own, so with a private PostgreSQL too. It can be stopped,
// killed and started again on what it left behind.

import FoundationEssentials
import Glibc
import Synchronization
import TestSupport

/// The installation that a test works on. Whatever happens, nothing of it is left behind.
///
/// Safety: unchecked, as it is handed from a suite to its tests, which run one at a time.
final class StoaServer: @unchecked Sendable {
    /// The program under test: the one that was built together with these tests, where it lies.
    static let program: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let built = own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/stoa"
        if FileManager.default.isExecutableFile(atPath: built) { return built }
        return "\(SharedFiles.packageRoot)/.build/release/stoa"
    }()

    let folder: TemporaryFolder
    /// The server on whose data directory this one works too; nil for one with its own.
    private let owner: StoaServer?
    private let logName: String
    let arguments: [String]
    private let variables: [String: String]
    private(set) var port: UInt16 = 0
    private var running: Program?
    /// What it printed before its last end, but for what was read.
    private(set) var unreadOutput = ""

    /// Starts a server on a free port and waits until it takes requests. On a first start it finds no
    /// data directory and makes one, which takes seconds.
    init(
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        isFirstStart: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        owner = nil
        logName = "serve.log"
        self.arguments = arguments
        variables = environment
        try TestClusterWatchdog.start(folder: "\(dataDirectory)/postgres")
        if !isFirstStart { try PreparedData.copy(to: dataDirectory) }
        try start()
    }

    /// Starts another server on the data directory, and so on the PostgreSQL, of `owner`.
    init(beside owner: StoaServer, _ arguments: [String] = []) throws {
        folder = owner.folder
        self.owner = owner
        logName = "serve-\(UUID().uuidString).log"
        self.arguments = arguments
        variables = owner.variables
        try start()
    }

    deinit {
        running = nil
        if owner == nil { endPostmaster() }
    }

    var dataDirectory: String { "\(folder.path)/data" }
    var origin: String { "http://127.0.0.1:\(port)" }
    /// The last part of what its lives wrote to standard error.
    var log: String { Program.tail(of: logPath) }
    private var logPath: String { "\(folder.path)/\(logName)" }

    // MARK: Life

    /// Starts it, again on the same port where it had one.
    func start() throws {
        precondition(running == nil, "it runs already")
        let fixed = ["serve", "--host", "127.0.0.1", "--port", "\(port)"] + loops
        let program = try Program(
            Self.program,
            fixed + ["--data-dir", dataDirectory] + arguments,
            environment: environment,
            errorPath: logPath
        )
        running = program
        port = try program.line { line in
            guard line.hasPrefix("ready http") else { return nil }
            return line.split(separator: ":").last.flatMap { UInt16($0) }
        }
    }

    /// The link by which the first user signs up. Only a server without users prints one.
    func signUpLink() throws -> String {
        guard let running else { throw HarnessError("it does not run") }
        return try running.line { line in
            guard line.contains("sign-up"), let link = line.firstRange(of: "http") else {
                return nil
            }
            return String(line[link.lowerBound...])
        }
    }

    /// By what a person knows the certificate that it made.
    func fingerprint() throws -> String {
        guard let running else { throw HarnessError("it does not run") }
        return try running.line { line in
            guard line.hasPrefix("certificate fingerprint") else { return nil }
            return line.split(separator: " ").last.map(String.init)
        }
    }

    /// Asks it to read its certificates anew.
    func hangUp() { running?.send(SIGHUP) }

    /// Asks it to end, and waits.
    @discardableResult
    func stop(within duration: Duration = .patience) throws -> Program.End {
        askToStop()
        return try waitForEnd(within: duration)
    }

    /// Asks it to end.
    func askToStop() { running?.send(SIGTERM) }

    /// Waits for its end.
    func waitForEnd(within duration: Duration = .patience) throws -> Program.End {
        guard let program = running else { throw HarnessError("it does not run") }
        let (end, rest) = try program.end(within: duration)
        running = nil
        unreadOutput = rest
        return end
    }

    /// Kills it at once, as a power cut would.
    func kill() throws {
        running?.send(SIGKILL)
        _ = try waitForEnd()
    }

    // MARK: Its PostgreSQL

    /// The process of its private PostgreSQL; nil where none runs.
    var postmaster: pid_t? {
        let path = "\(dataDirectory)/postgres/data/postmaster.pid"
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first,
            let process = pid_t(line), process > 1, Glibc.kill(process, 0) == 0
        else { return nil }
        return process
    }

    /// Kills PostgreSQL at once. Its children end by themselves.
    func killPostmaster() throws {
        guard let process = postmaster else { throw HarnessError("PostgreSQL does not run") }
        Glibc.kill(process, SIGKILL)
    }

    /// PostgreSQL outlives a killed server on purpose; here its time is over.
    private func endPostmaster() {
        guard let process = postmaster else { return }
        Glibc.kill(process, SIGQUIT)
        try? eventually("PostgreSQL's end", within: .seconds(20)) { Glibc.kill(process, 0) != 0 }
    }

    // MARK: Commands

    /// Runs another command of the program on this installation.
    func command(
        _ arguments: [String],
        input: String = ""
    ) throws -> (end: Program.End, output: String, errors: String) {
        let errors = "\(folder.path)/command-\(UUID().uuidString).log"
        let program = try Program(
            Self.program,
            arguments,
            input: input,
            environment: environment,
            errorPath: errors
        )
        let (end, output) = try program.end()
        return (end, output, program.errorOutput)
    }

    /// Adds a user, whose password is `password(of:)`.
    func addUser(_ name: String, isAdmin: Bool = false) throws {
        let (end, _, errors) = try command(
            ["user", "add", name, "--password-stdin", "--data-dir", dataDirectory]
                + (isAdmin ? ["--admin"] : []),
            input: "\(password(of: name))\n"
        )
        guard end == .exited(0) else { throw HarnessError("user add \(name): \(end) \(errors)") }
    }

    /// A password that is the same each time.
    func password(of name: String) -> String { "correct horse \(name)" }

    /// With STOA_TEST_LOOPS=3 all tests but those that say how many run on so many loops.
    private var loops: [String] {
        guard let count = ProcessInfo.processInfo.environment["STOA_TEST_LOOPS"],
            !arguments.contains("--loops")
        else { return [] }
        return ["--loops", count]
    }

    /// Settings of whoever runs the tests must not reach the program.
    private var environment: [String: String] {
        [
            "STOA_LOG_LEVEL": "info", "XDG_CONFIG_HOME": "\(folder.path)/config",
            "XDG_STATE_HOME": "\(folder.path)/state", "HF_HOME": "\(folder.path)/hub",
            "HF_ENDPOINT": "http://127.0.0.1:9", "TMPDIR": folder.path,
        ].merging(variables) { $1 }
    }
}
