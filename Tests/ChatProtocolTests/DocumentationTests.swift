import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("docs/reference/protocol.md")
struct DocumentationTests {
    private let page: String

    init() throws {
        page = try String(
            contentsOfFile: "\(SharedFiles.packageRoot)/docs/reference/protocol.md",
            encoding: .utf8
        )
    }

    @Test("names every operation", arguments: Operation.allCases)
    func operations(operation: Operation) {
        #expect(page.contains("| `\(operation.rawValue)` |"))
    }

    @Test("names every event", arguments: ServerEvent.Name.allCases)
    func events(name: ServerEvent.Name) {
        #expect(page.contains("`\(name.rawValue)`"))
    }

    @Test("says of every error code whether to retry", arguments: ErrorCode.allCases)
    func errors(code: ErrorCode) throws {
        let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(code.rawValue)` |") }
        let verdict = try #require(row).hasSuffix("| yes |")
        #expect(verdict == code.isRetryable)
    }

    @Test("names every close code", arguments: CloseCode.allCases)
    func closeCodes(code: CloseCode) {
        #expect(page.contains("\(code.rawValue)"))
    }
}
