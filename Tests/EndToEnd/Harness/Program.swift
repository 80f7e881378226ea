// A running program: its standard output line by line, its standard error in a file, its exit.

import CLinux
import FoundationEssentials
import Glibc

/// A program started by a test. It is killed with this object.
final class Program {
    /// How a program ended.
    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    let name: String
    let process: pid_t
    private let output: Int32
    /// Standard input, if it is kept open.
    private var input: Int32?
    private let errorPath: String
    private var received: [UInt8] = []
    private var end: End?

    /// Starts `path` with `input` on its standard input, followed by its end unless
    /// `keepsInputOpen`; its standard error is appended to the file at `errorPath`. It inherits
    /// `sockets` from descriptor 3 on.
    init(
        _ path: String,
        _ arguments: [String],
        input: String = "",
        keepsInputOpen: Bool = false,
        environment: [String: String] = [:],
        errorPath: String,
        sockets: [Int32] = []
    ) throws {
        let inputPipe = try Self.pipe()
        let outputPipe = try Self.pipe()
        defer {
            close(inputPipe.read)
            close(outputPipe.write)
        }
        // Small enough for the pipe's buffer, so that writing does not block.
        precondition(input.utf8.count < 4096, "longer than a pipe surely holds")
        _ = Array(input.utf8).withUnsafeBytes {
            Glibc.write(inputPipe.write, $0.baseAddress, $0.count)
        }
        if keepsInputOpen {
            self.input = inputPipe.write
        } else {
            close(inputPipe.write)
        }
        name = path.split(separator: "/").last.map(String.init) ?? path
        self.errorPath = errorPath
        output = outputPipe.read
        do {
            process = try Self.spawn(
                [path] + arguments,
                environment: environment,
                input: inputPipe.read,
                output: outputPipe.write,
                errorPath: errorPath,
                sockets: sockets
            )
        } catch {
            close(outputPipe.read)
            throw error
        }
    }

    deinit {
        if end == nil {
            kill(process, SIGKILL)
            _ = waitForEnd()
        }
        close(output)
        closeInput()
    }

    // MARK: Input

    /// Writes to standard input, which must be open.
    func write(_ text: String) throws {
        guard let input else { throw HarnessError("\(name)'s input is closed") }
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw HarnessError("\(name) takes no input") }
    }

    /// Closes standard input.
    func closeInput() {
        if let input { close(input) }
        input = nil
    }

    // MARK: Output

    /// The first line of standard output for which `pick` returns a value. Earlier lines are
    /// dropped.
    func line<Picked>(
        within duration: Duration = .patience,
        _ pick: (Substring) -> Picked?
    ) throws -> Picked {
        let deadline = Deadline(duration)
        while true {
            while let newline = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<newline], as: UTF8.self)
                received.removeSubrange(...newline)
                if let picked = pick(line[...]) { return picked }
            }
            guard try read(deadline) else {
                throw HarnessError("\(name) has ended (\(waitForEnd())): \(errorOutput)")
            }
        }
    }

    /// Its standard error, only the last part if it is long.
    var errorOutput: String { Self.tail(of: errorPath) }

    /// The last part of a file's text.
    static func tail(of path: String) -> String {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return "" }
        return String(decoding: data.suffix(8000), as: UTF8.self)
    }

    /// Reads available output; false at its end.
    private func read(_ deadline: Deadline) throws -> Bool {
        try waitUntilReadable(output, deadline, "\(name)'s output; it said: \(errorOutput)")
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(output, &chunk, chunk.count)
        guard count > 0 else { return false }
        received.append(contentsOf: chunk[..<count])
        return true
    }

    // MARK: End

    /// Sends a signal.
    func send(_ signal: Int32) {
        if end == nil { kill(process, signal) }
    }

    /// Waits for its exit; `rest` is the remaining standard output.
    func end(within duration: Duration = .patience) throws -> (end: End, rest: String) {
        let deadline = Deadline(duration)
        while try read(deadline) {}
        return (waitForEnd(), String(decoding: received, as: UTF8.self))
    }

    private func waitForEnd() -> End {
        if let end { return end }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let end = signal == 0 ? End.exited(status >> 8 & 0xFF) : .signalled(signal)
        self.end = end
        return end
    }

    // MARK: C

    private static func spawn(
        _ command: [String],
        environment: [String: String],
        input: Int32,
        output: Int32,
        errorPath: String,
        sockets: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, flags, 0o644)
        for (index, socket) in sockets.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, socket, 3 + Int32(index))
        }
        // Signals that other tests block in our threads must reach the program.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var process: pid_t = 0
        let error = withCStrings(command) { arguments in
            withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawnp(&process, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard error == 0 else { throw HarnessError("\(command[0]) does not start: errno \(error)") }
        return process
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        // Close-on-exec from the start: a program started meanwhile by another test would keep the
        // pipe open.
        guard stoa_pipe(&ends) == 0 else { throw HarnessError("pipe: errno \(errno)") }
        return (ends[0], ends[1])
    }

    static func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
