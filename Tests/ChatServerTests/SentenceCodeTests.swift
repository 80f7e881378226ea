// The codes of the server's sentences are those of docs/reference/sentences.md, for which the page has
// texts (Tests/WebTests/sentences.test.mjs).

import ChatProtocol
import ChatServer
import FoundationEssentials
import TestSupport
import Testing
import Transfers

@Suite("docs/reference/sentences.md")
struct SentenceCodeTests {
    /// The sentences of a section by their codes.
    private static func sentences(of heading: String) throws -> [String: String] {
        let path = "\(SharedFiles.packageRoot)/docs/reference/sentences.md"
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let sections = page.split(separator: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix(heading + "\n") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        return Dictionary(
            rows.map { row in
                let cells = row.dropFirst(3).dropLast(2).split(separator: "` | ", maxSplits: 1)
                return (String(cells[0]), String(cells[1]))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test("lists what imports say")
    func imports() throws {
        let expected = ImportReason.allCases.map { ($0.rawValue, $0.sentence) }
        #expect(try Self.sentences(of: "Imports") == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test("lists what models and downloads say")
    func models() throws {
        let codes = ModelFailure.codes + FetchNote.allCases.map(\.rawValue)
        #expect(Set(try Self.sentences(of: "Models").keys) == Set(codes))
    }

    @Test("lists what the doctor finds")
    func findings() throws {
        let expected = DoctorFact.allCases.map { ($0.rawValue, $0.template) }
        #expect(try Self.sentences(of: "Findings") == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test("lists the actions of the audit log")
    func actions() throws {
        let expected = AuditAction.allCases.map(\.rawValue)
        #expect(Set(try Self.sentences(of: "Actions").keys) == Set(expected))
    }

    @Test("a duration stands in a finding's sentence as text, and in seconds beside its code")
    func durations() {
        let check = DoctorCheck.ok(
            .certificate,
            "dates",
            .known(.certificateExpires, span: 1_814_400)
        )
        #expect(check.found == "it expires in 21 days")
        #expect(check.foundCode == SentenceCode("certificate_expires", ["span": "1814400.0"]))
        #expect(DoctorCheck.ok(.database, "reachable", "at db").foundCode == nil)
    }

    @Test("lists what the doctor advises")
    func advice() throws {
        let expected = DoctorAdvice.allCases.map { ($0.rawValue, $0.template) }
        #expect(try Self.sentences(of: "Advice") == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test("lists the areas of the doctor's checks")
    func areas() throws {
        let expected = DoctorCheck.Area.allCases.map(\.rawValue)
        #expect(Set(try Self.sentences(of: "Areas").keys) == Set(expected))
    }

    @Test("values stand in an advice's sentence, and beside its code")
    func values() {
        let check = DoctorCheck.warning(
            .certificate,
            "key",
            "open",
            do: .closeKey,
            ["file": "/etc/key.pem"]
        )
        #expect(check.advice == "chmod 600 /etc/key.pem")
        #expect(check.adviceCode == SentenceCode("close_key", ["file": "/etc/key.pem"]))
    }

    @Test("an import counts by codes, too, and a limit stands only in the sentence")
    func report() {
        var report = TransferReport()
        report.skipped.note("entry 1", .tooLarge, "64 levels")
        report.skipped.note("entry 2", .tooLarge)
        #expect(report.skipped.codes == ["too_large": 2])
        #expect(
            report.skipped.reasons.keys.sorted() == [
                "it is too large", "it is too large: 64 levels",
            ]
        )
        #expect(report.skipped.notes.map(\.code) == ["too_large", "too_large"])
    }
}
