// The short form of `make chaos`: docs/develop/chaos.md says what it does and what must hold.

import TestSupport
import Testing

extension EndToEnd.Failures {
    /// Servers and PostgreSQL are killed under many clients whose network loses acknowledgements.
    @Suite("Under random crashes")
    struct Chaos {
        @Test("no byte, no send and no event number is lost or doubled")
        func everythingDies() throws {
            try chaos(["--seed", "1", "--kills", "10", "--sends", "300"])
        }

        @Test("nor if remote engines stall, tear characters, lie and die")
        func enginesDie() throws {
            try chaos(["--seed", "2", "--kills", "3", "--sends", "80", "--engines", "4"])
        }

        private func chaos(_ arguments: [String]) throws {
            let folder = try TemporaryFolder()
            let built = StoaServer.program.split(separator: "/").dropLast()
            let program = try Program(
                built.map { "/\($0)" }.joined() + "/stoa-chaos",
                arguments,
                errorPath: "\(folder.path)/errors.log"
            )
            let (end, output) = try program.end(within: .seconds(150))
            #expect(end == .exited(0), "\(output)\(program.errorOutput)")
        }
    }
}
