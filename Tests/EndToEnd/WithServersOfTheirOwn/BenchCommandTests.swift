// `stoa bench` as a user calls it.

import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("stoa bench")
    struct BenchCommand {
        @Test("what follows goes to stoa-bench, whose output and exit code are the command's")
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
