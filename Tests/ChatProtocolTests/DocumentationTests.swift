import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("docs/reference/protocol.md and errors.md")
struct DocumentationTests {
    private let page: String
    private let errorPage: String

    init() throws {
        let folder = "\(SharedFiles.packageRoot)/docs/reference"
        page = try String(contentsOfFile: "\(folder)/protocol.md", encoding: .utf8)
        errorPage = try String(contentsOfFile: "\(folder)/errors.md", encoding: .utf8)
    }

    @Test("names every event", arguments: ServerEvent.Name.allCases)
    func events(name: ServerEvent.Name) {
        #expect(page.contains("`\(name.rawValue)`"))
    }

    @Test("says for every error code whether to retry", arguments: ErrorCode.allCases)
    func errors(code: ErrorCode) throws {
        let row = errorPage.split(separator: "\n").first { $0.hasPrefix("| `\(code.rawValue)` |") }
        let verdict = try #require(row).hasSuffix("| yes |")
        #expect(verdict == code.isRetryable)
    }

    @Test("names every close code", arguments: CloseCode.allCases)
    func closeCodes(code: CloseCode) {
        #expect(errorPage.contains("\(code.rawValue)"))
    }
}
