// `stoa bench`: runs stoa-bench, a separate program so that the server contains no load generator.

import ArgumentParser
import EventLoop
import Glibc

/// `stoa bench`.
struct BenchCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Run a benchmark: starts stoa-bench beside stoa.",
        usage: "stoa bench <measurement> [<options>]"
    )

    @Argument(parsing: .captureForPassthrough, help: "Arguments of stoa-bench.")
    var arguments: [String] = []

    /// Replaces this process with stoa-bench.
    /// - Throws: `CommandFailure` if stoa-bench does not exist.
    func run() throws {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw CommandFailure(.latest(.read, "/proc/self/exe")) }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let program = "\(folder)/stoa-bench"
        // This thread's signals are blocked, and execv keeps the mask.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        execv(program, &words)
        throw CommandFailure(
            .unavailable,
            "cannot run \(program): \(SystemError.latest("execv").reason): build it with `make build`"
        )
    }
}
