// `stoa bench`: hands over to stoa-bench, which is a program of its own so that a server carries no
// load generator.

import ArgumentParser
import FoundationEssentials
import Glibc

/// `stoa bench`.
struct BenchCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure Stoa on this machine: stoa-bench, which lies beside stoa.",
        usage: "stoa bench <measurement> [<options>]"
    )

    @Argument(parsing: .captureForPassthrough, help: "What stoa-bench is to do.")
    var arguments: [String] = []

    /// Ends this program by becoming the other one.
    /// - Throws: `CommandFailure` where that is not there.
    func run() throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = own.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let program = "\(folder)/stoa-bench"
        // This thread's signals are blocked, and a mask outlives execv.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        execv(program, &words)
        throw CommandFailure(
            .unavailable,
            "\(program): \(String(cString: strerror(errno))); `make build` puts it beside stoa"
        )
    }
}
