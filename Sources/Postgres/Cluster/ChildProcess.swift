// Runs PostgreSQL's programs as the cluster's user with a clean environment.

import CLinux
import Glibc

/// Runs programs as `account` in `folder`.
struct ChildProcess {
    let account: ClusterAccount
    let folder: String?

    /// Starts `program` in its own session and returns its process id without waiting. Its output
    /// and errors go to `output`.
    func start(
        _ program: String,
        _ arguments: [String],
        input: Int32 = -1,
        output: Int32
    ) throws(ClusterError) -> pid_t {
        // English messages and byte order, so that the caller's locale does not affect the data.
        let environment = ["LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin", "TZ=UTC"]
        var process: pid_t = 0
        var failed = STOA_SPAWN_FORK
        let error = withCStrings([program] + arguments) { arguments in
            withCStrings(environment) { environment in
                program.withCString { program in
                    withOptionalCString(folder) { folder in
                        var request = stoa_spawn_request(
                            program: program,
                            arguments: arguments,
                            environment: environment,
                            folder: folder,
                            input: input,
                            output: output,
                            changes_user: account.differsFromOurs,
                            user: account.user,
                            group: account.group
                        )
                        return stoa_spawn(&request, &process, &failed)
                    }
                }
            }
        }
        guard error != 0 else { return process }
        if failed == STOA_SPAWN_FOLDER, error == EACCES, let folder {
            throw .folderUnreachable(folder: folder, user: account.name)
        }
        throw .system(operation: "start", path: program, errno: error)
    }

    /// Runs `program` and returns its output, at most 64 KiB.
    /// - Throws: `programFailed` if its exit status is not 0.
    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws(ClusterError) -> String {
        var ends: [Int32] = [-1, -1]
        guard stoa_pipe(&ends) == 0 else {
            throw .system(operation: "pipe", path: program, errno: errno)
        }
        let reading = OwnedDescriptor(owning: ends[0])
        let process: pid_t
        do {
            let writing = OwnedDescriptor(owning: ends[1])
            process = try start(program, arguments, output: writing.number)
        }
        let output = readToEnd(reading.number, byteCountMax: 65536)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // The wait status: the low 7 bits are a signal, the next byte is the exit status.
        let signal = status & 0x7f
        let exitStatus = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        guard exitStatus == 0 else {
            throw .programFailed(program: program, status: exitStatus, output: lastLines(output))
        }
        return output
    }
}

/// The last lines of a program's output, short enough for an error message.
func lastLines(_ output: String) -> String {
    output.split(separator: "\n").suffix(6).joined(separator: "; ")
}

private func readToEnd(_ descriptor: Int32, byteCountMax: Int) -> String {
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        output.append(contentsOf: chunk.prefix(min(count, byteCountMax - output.count)))
    }
    return String(decoding: output, as: UTF8.self)
}
