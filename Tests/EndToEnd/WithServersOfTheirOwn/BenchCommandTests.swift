// The command `stoa bench`.

import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("stoa bench")
    struct BenchCommand {
        @Test("arguments are passed to stoa-bench, whose output and exit code are returned")
        func handsOver() throws {
            let folder = try TemporaryFolder()
            func bench(_ arguments: String...) throws -> Program {
                try Program(
                    StoaServer.program,
                    ["bench"] + arguments,
                    errorPath: "\(folder.path)/errors"
                )
            }
            let help = try bench("engine", "--help").end()
            #expect(help.end == .exited(0))
            #expect(help.rest.contains("stoa-bench engine --model"))

            let wrong = try bench("engine")
            #expect(try wrong.end().end == .exited(64))
            #expect(wrong.errorOutput.contains("--model"))
        }
    }
}
