// Starts, kills and awaits a child process. All functions block: call them off the event loop.

import CLinux
import FoundationEssentials
public import Glibc
import Synchronization

/// Why a program does not start.
public struct ChildProgramError: Error, CustomStringConvertible {
    /// A sentence.
    public let description: String
}

/// A running process.
public final class ChildProgram: Sendable {
    /// Its id.
    public let process: Int32
    private let output: Int32
    private let hasEnded = Mutex(false)

    /// Starts a program.
    /// - Parameters:
    ///   - command: its path and its arguments.
    ///   - input: the file for standard input.
    ///   - errors: the file to which standard error is appended.
    /// - Throws: `ChildProgramError` if it cannot be started.
    public init(_ command: [String], input: String = "/dev/null", errors: String) throws {
        var ends: [Int32] = [-1, -1]
        guard stoa_pipe(&ends) == 0 else {
            throw ChildProgramError(description: "pipe: errno \(errno)")
        }
        defer { close(ends[1]) }
        output = ends[0]

        do {
            process = try Self.spawn(command) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
                let flags = O_WRONLY | O_CREAT | O_APPEND
                posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o644)
            }
        } catch {
            close(ends[0])
            throw error
        }
    }

    deinit {
        if !hasEnded.withLock({ $0 }) {
            Glibc.kill(process, SIGKILL)
            _ = wait()
        }
        close(output)
    }

    /// Reads its output up to the first line that begins with `start`.
    /// - Returns: the line; nil at the end of output or after `seconds`.
    public func line(beginningWith start: String, within seconds: Int32) -> String? {
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            if text.contains("\n"),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix(start) })
            {
                return String(line)
            }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, seconds * 1000) > 0 else { return nil }
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return nil }
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
    }

    /// Sends a signal, unless the process has ended.
    public func send(_ signal: Int32) {
        hasEnded.withLock { hasEnded in
            if !hasEnded { Glibc.kill(process, signal) }
        }
    }

    /// Waits for its end.
    /// - Returns: the exit status; 256 or more if a signal ended it.
    public func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        hasEnded.withLock { $0 = true }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 256 + (status & 0x7F)
    }

    /// Starts a program with the file descriptors that `prepare` sets up.
    public static func spawn(
        _ command: [String],
        _ prepare: (inout posix_spawn_file_actions_t) -> Void
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        prepare(&actions)
        var environment = ProcessInfo.processInfo.environment
        // The caller's settings must not reach the program.
        for name in environment.keys where name.hasPrefix("STOA_") { environment[name] = nil }
        environment["HF_ENDPOINT"] = "http://127.0.0.1:9"
        // A signal to our process group, such as from a terminal, must reach only this process,
        // which ends its children in order.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var process: pid_t = 0
        let error = withPointers(to: command) { arguments in
            withPointers(to: environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&process, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard error == 0 else {
            throw ChildProgramError(description: "\(command[0]) does not start: errno \(error)")
        }
        return process
    }

    private static func withPointers<Result>(
        to texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
