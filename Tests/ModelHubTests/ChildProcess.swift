// Child processes that a test starts and can kill.

import EventLoop
import FoundationEssentials
import Glibc
import TestSupport

/// A running process. Used on an event loop.
final class ChildProcess {
    /// How it ended.
    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    private let process: pid_t
    private var isRunning = true

    /// Starts `command`, whose first word is a path, with only `variables` as its environment; its
    /// output is appended to the file at `outputPath`.
    init(_ command: [String], _ variables: [String: String], outputPath: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, outputPath, flags, 0o644)
        }
        // The child must receive signals that another test blocks in our threads.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var process: pid_t = 0
        let error = Self.withCStrings(command) { arguments in
            Self.withCStrings(variables.map { "\($0)=\($1)" }) {
                posix_spawn(&process, command[0], &actions, &attributes, arguments, $0)
            }
        }
        guard error == 0 else { throw SystemError(errno: error, operation: command[0]) }
        self.process = process
    }

    deinit {
        guard isRunning else { return }
        send(SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        if isRunning { kill(process, signal) }
    }

    /// Waits for its end on a thread of `pool`, so that the loop is not blocked.
    func end(_ pool: WorkerPool) async throws -> End {
        let process = process
        try await pool.run {
            // Leaves it a zombie: its pid must not be reused while `send` may signal it.
            var information = siginfo_t()
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR
            {
            }
        }
        isRunning = false
        var status: Int32 = 0
        waitpid(process, &status, 0)
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    private static func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}

extension ChildProcess {
    /// The program that was built with the tests.
    private static let stoa =
        ProcessInfo.processInfo.environment["STOA_PROGRAM"]
        ?? "\(SharedFiles.packageRoot)/.build/release/stoa"

    /// `stoa model pull org/name` from `hub`.
    static func pull(
        from hub: HubDouble,
        into cacheFolder: String,
        outputPath: String
    ) throws -> ChildProcess {
        try ChildProcess(
            [stoa, "model", "pull", "org/name"],
            ["HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cacheFolder],
            outputPath: outputPath
        )
    }
}
