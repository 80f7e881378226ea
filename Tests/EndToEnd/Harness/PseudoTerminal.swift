// A terminal (pty(7)) that takes output only when the test reads it.

import FoundationEssentials
import Glibc
import TestSupport

/// A program in a terminal of its own. It is killed with this object.
final class PseudoTerminal {
    /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which are macros of C.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    private let master: Int32
    private let process: pid_t
    /// All bytes that were read.
    private(set) var output: [UInt8] = []

    /// Starts a command of the program in a terminal of this size.
    init(_ server: StoaServer, _ arguments: [String], columns: Int, rows: Int) throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: CInt = -1
        var isLocked: CInt = 0
        guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0,
            ioctl(master, Self.getNumber, &number) == 0
        else { throw HarnessError("no terminal: errno \(errno)") }
        self.master = master
        var size = winsize()
        size.ws_col = UInt16(columns)
        size.ws_row = UInt16(rows)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        process = try Self.spawn(
            [StoaServer.program] + arguments,
            environment: [
                "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
                "XDG_CONFIG_HOME": "\(server.folder.path)/config",
                "XDG_STATE_HOME": server.folder.path,
            ],
            terminal: "/dev/pts/\(number)"
        )
    }

    deinit {
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
        close(master)
    }

    /// Types a text.
    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ write(master, $0.baseAddress, $0.count) }) == bytes.count
        else {
            throw HarnessError("the terminal takes no input: errno \(errno)")
        }
    }

    /// Reads until the output contains a text.
    func read(until text: String, within duration: Duration = .patience) throws {
        let wanted = Array(text.utf8)
        let deadline = Deadline(duration)
        while !output.contains(wanted) { try readSome(deadline, text) }
    }

    /// Reads what there is.
    func readWaiting() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = Glibc.read(master, &chunk, chunk.count), count > 0 {
            output += chunk[..<count]
        }
    }

    /// Reads so many bytes at most. The kernel holds about twelve thousand for a reader that waits.
    private func readSome(_ deadline: Deadline, _ what: String) throws {
        try waitUntilReadable(
            master,
            deadline,
            "\(what) in \(String(decoding: output, as: UTF8.self))"
        )
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(master, &chunk, chunk.count)
        guard count > 0 else { throw HarnessError("the terminal is closed: errno \(errno)") }
        output += chunk[..<count]
    }

    /// The most memory that the program has had, in MiB (proc(5): VmHWM).
    var memoryPeak: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            guard let kibibytes = line?.split(separator: " ").dropLast().last.flatMap({ Int($0) })
            else { throw HarnessError("no VmHWM in \(status)") }
            return kibibytes >> 10
        }
    }

    private static func spawn(
        _ command: [String],
        environment: [String: String],
        terminal: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens controls it.
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        let newSession: Int16 = 0x80
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | newSession)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var process: pid_t = 0
        let error = Program.withCStrings(command) { arguments in
            Program.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&process, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard error == 0 else { throw HarnessError("\(command[0]) does not start: errno \(error)") }
        return process
    }
}
