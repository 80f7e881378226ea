// The gateway compared with other WebSocket servers: runs Benchmarks/gateway.sh.

import ArgumentParser
import FoundationEssentials
import Glibc

struct GatewayBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Measure stoa-echo beside other WebSocket servers, where they are installed.",
        discussion: """
            Echo, fan-out, idle connections and churn, without TLS and with it. Prints a table, and \
            writes Benchmarks/gateway.json. To be run in the project's folder; needs cc and OpenSSL.
            """
    )

    private static let script = "Benchmarks/gateway.sh"

    @Option(help: "Seconds of each case.") var seconds = 3
    @Option(help: "Runs of each case; medians are printed.") var runs = 5
    @Option(help: "Loops of stoa-echo.") var loops = 1
    @Option(help: "The python3 that has the servers written in Python.") var python = "python3"

    func run() throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let variables = [
            "BIN": own.split(separator: "/").dropLast().map { "/\($0)" }.joined(),
            "SECONDS_EACH": "\(seconds)", "RUNS": "\(runs)", "LOOPS": "\(loops)",
            "PYTHON": python,
        ]
        for (name, value) in variables { setenv(name, value, 1) }
        // The script replaces this process, so that stopping one stops the other.
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(Self.script), nil]
        execv(Self.script, &arguments)
        throw ValidationError("\(Self.script): \(String(cString: strerror(errno)))")
    }
}
