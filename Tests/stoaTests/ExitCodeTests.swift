// The documented exit codes are those of the program.

import FoundationEssentials
import TestSupport
import Testing
import stoa

@Suite("Exit codes")
struct ExitCodeTests {
    @Test("docs/reference/errors.md lists every exit code")
    func reference() throws {
        let path = "\(SharedFiles.packageRoot)/docs/reference/errors.md"
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let table = try #require(page.firstRange(of: "## Exit codes"))
        let codes = page[table.upperBound...].split(separator: "\n").compactMap { line in
            line.split(separator: "|").first.flatMap { Int32($0.filter(\.isNumber)) }
        }
        #expect(Set(codes) == Set(CommandFailure.Status.allCases.map(\.rawValue) + [0]))
        #expect(codes == codes.sorted())
    }
}
