// `stoa serve` with a data directory of its own, thus with a private PostgreSQL. It can be stopped,
// killed and started again on the same directory.

import FoundationEssentials
import Glibc
import Synchronization
import TestSupport

/// A server installation for a test. Everything is deleted with this object.
///
/// Safety: unchecked, as it is passed from a suite to its tests, which run one at a time.
final class StoaServer: @unchecked Sendable {
    /// The program under test: the one built together with these tests.
    static let program: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let built = own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/stoa"
        if FileManager.default.isExecutableFile(atPath: built) { return built }
        return "\(SharedFiles.packageRoot)/.build/release/stoa"
    }()

    let folder: TemporaryFolder
    /// The server whose data directory this one shares; nil if it has its own.
    private let owner: StoaServer?
    private let logName: String
    let arguments: [String]
    private let variables: [String: String]
    /// A command that gets the server's as its last arguments, and becomes it.
    private let wrapper: [String]
    private(set) var port: UInt16 = 0
    private var running: Program?
    /// Output printed before its last exit that was not read.
    private(set) var unreadOutput = ""

    /// Starts a server on a free port and waits until it accepts requests. On its first start it
    /// creates the data directory, which takes seconds.
    /// - Parameters:
    ///   - arguments: more arguments of `stoa serve`.
    ///   - environment: more variables.
    ///   - wrapper: a command that starts it, such as `sh -c 'ulimit -n 300; exec "$@"' sh`.
    ///   - isFirstStart: whether it makes its data directory itself.
    /// - Throws: `HarnessError` if it does not start.
    init(
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        wrapper: [String] = [],
        isFirstStart: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        owner = nil
        logName = "serve.log"
        self.arguments = arguments
        variables = environment
        self.wrapper = wrapper
        try TestClusterWatchdog.start(folder: "\(dataDirectory)/postgres")
        if !isFirstStart { try PreparedData.copy(to: dataDirectory) }
        try start()
    }

    /// Starts another server on the data directory, and thus the PostgreSQL, of `owner`.
    init(beside owner: StoaServer, _ arguments: [String] = []) throws {
        folder = owner.folder
        self.owner = owner
        logName = "serve-\(UUID().uuidString).log"
        self.arguments = arguments
        variables = owner.variables
        wrapper = []
        try start()
    }

    deinit {
        running = nil
        if owner == nil { endPostmaster() }
    }

    var dataDirectory: String { "\(folder.path)/data" }
    var origin: String { "http://127.0.0.1:\(port)" }
    /// The last part of the standard error of all its processes.
    var log: String { Program.tail(of: logPath) }
    private var logPath: String { "\(folder.path)/\(logName)" }

    // MARK: Life

    /// Starts it, on the same port as before if it had one.
    func start() throws {
        precondition(running == nil, "it runs already")
        let fixed = ["serve", "--host", "127.0.0.1", "--port", "\(port)"] + loops
        let command =
            wrapper + [Self.program] + fixed + ["--data-dir", dataDirectory] + arguments
        let program = try Program(
            command[0],
            Array(command.dropFirst()),
            environment: environment,
            errorPath: logPath
        )
        running = program
        port = try program.line { line in
            guard line.hasPrefix("ready http") else { return nil }
            return line.split(separator: ":").last.flatMap { UInt16($0) }
        }
    }

    /// The link for the first user to sign up. Only a server without users prints one.
    func signUpLink() throws -> String {
        guard let running else { throw HarnessError("it does not run") }
        return try running.line { line in
            guard line.contains("sign-up"), let link = line.firstRange(of: "http") else {
                return nil
            }
            return String(line[link.lowerBound...])
        }
    }

    /// The fingerprint of its self-signed certificate.
    func fingerprint() throws -> String {
        guard let running else { throw HarnessError("it does not run") }
        return try running.line { line in
            guard line.hasPrefix("certificate fingerprint") else { return nil }
            return line.split(separator: " ").last.map(String.init)
        }
    }

    /// Makes it reload its certificates.
    func hangUp() { running?.send(SIGHUP) }

    /// Sends SIGTERM, and waits for its exit.
    @discardableResult
    func stop(within duration: Duration = .patience) throws -> Program.End {
        askToStop()
        return try waitForEnd(within: duration)
    }

    /// Sends SIGTERM.
    func askToStop() { running?.send(SIGTERM) }

    /// Waits for its exit.
    func waitForEnd(within duration: Duration = .patience) throws -> Program.End {
        guard let program = running else { throw HarnessError("it does not run") }
        let (end, rest) = try program.end(within: duration)
        running = nil
        unreadOutput = rest
        return end
    }

    /// Kills it (SIGKILL), like a power failure.
    func kill() throws {
        running?.send(SIGKILL)
        _ = try waitForEnd()
    }

    /// Halts its process (SIGSTOP) while something else happens.
    func whileHalted(_ work: () throws -> Void) rethrows {
        running?.send(SIGSTOP)
        defer { running?.send(SIGCONT) }
        try work()
    }

    // MARK: Its PostgreSQL

    /// The process id of the server; nil if it is not running.
    var process: pid_t? { running?.process }

    /// The process id of its private PostgreSQL; nil if it is not running.
    var postmaster: pid_t? {
        let path = "\(dataDirectory)/postgres/data/postmaster.pid"
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first,
            let process = pid_t(line), process > 1, Glibc.kill(process, 0) == 0
        else { return nil }
        return process
    }

    /// Kills PostgreSQL. Its children exit by themselves.
    func killPostmaster() throws {
        guard let process = postmaster else { throw HarnessError("PostgreSQL does not run") }
        Glibc.kill(process, SIGKILL)
    }

    /// PostgreSQL outlives a killed server on purpose; this stops it.
    private func endPostmaster() {
        guard let process = postmaster else { return }
        Glibc.kill(process, SIGQUIT)
        try? eventually("PostgreSQL's end", within: .seconds(20)) { Glibc.kill(process, 0) != 0 }
    }

    // MARK: Commands

    /// Starts another command of the program on this installation, which goes on.
    func start(_ arguments: [String]) throws -> Program {
        try Program(
            Self.program,
            arguments,
            environment: environment,
            errorPath: "\(folder.path)/command-\(UUID().uuidString).log"
        )
    }

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
    ///
    /// The command does it where a name is new. Later servers get the row that it made elsewhere: it
    /// would start a process and hash the same password again, which takes a quarter of a second.
    func addUser(_ name: String, isAdmin: Bool = false) throws {
        guard postmaster != nil else { return try addUserByCommand(name, isAdmin: isAdmin) }
        if let hash = Self.passwordHashes.withLock({ $0[name] }) {
            return try addUser(name, isAdmin: isAdmin, passwordHash: hash)
        }
        try addUserByCommand(name, isAdmin: isAdmin)
        let hash = try passwordHash(of: name)
        Self.passwordHashes.withLock { $0[name] = hash }
    }

    /// The hashes of the passwords of users that were added before, by name.
    private static let passwordHashes = Mutex<[String: String]>([:])

    private func addUserByCommand(_ name: String, isAdmin: Bool) throws {
        let (end, _, errors) = try command(
            ["user", "add", name, "--password-stdin", "--data-dir", dataDirectory]
                + (isAdmin ? ["--admin"] : []),
            input: "\(password(of: name))\n"
        )
        guard end == .exited(0) else { throw HarnessError("user add \(name): \(end) \(errors)") }
    }

    /// A fixed password for each name.
    func password(of name: String) -> String { "correct horse \(name)" }

    /// STOA_TEST_LOOPS=3 runs all tests that do not set the number of loops with three.
    private var loops: [String] {
        guard let count = ProcessInfo.processInfo.environment["STOA_TEST_LOOPS"],
            !arguments.contains("--loops")
        else { return [] }
        return ["--loops", count]
    }

    /// Without the settings in the environment of the test run.
    private var environment: [String: String] {
        [
            "STOA_LOG_LEVEL": "info", "XDG_CONFIG_HOME": "\(folder.path)/config",
            "XDG_STATE_HOME": "\(folder.path)/state", "HF_HOME": "\(folder.path)/hub",
            "HF_ENDPOINT": "http://127.0.0.1:9", "TMPDIR": folder.path,
        ].merging(variables) { $1 }
    }
}
