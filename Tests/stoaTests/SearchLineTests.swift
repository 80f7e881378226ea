import ChatProtocol
import TerminalText
import Testing
import stoa

@Suite("/search")
struct SearchLineTests {
    @Test("filters may stand among the words")
    func filters() throws {
        let line = try SearchLine(
            "green tea by:ada since:2026-01-31 until:2026-01-31 here"
        )
        #expect(line.query == "green tea")
        let open = ConversationID.make()
        let request = line.request(open: open)
        #expect(request.author == "ada")
        #expect(request.from?.description == "2026-01-31T00:00:00.000Z")
        #expect(request.to?.description == "2026-02-01T00:00:00.000Z")
        #expect(request.conversation == open)
        let team = TeamID.make()
        #expect(try SearchLine("tea team:\(team)").request(open: open).team == team)
        #expect(try SearchLine("tea").request(open: open).conversation == nil)
    }

    @Test(
        "text in quotation marks is not a filter",
        arguments: ["\"come here now\" tea", "\"by:ada\"", "a:b", "x by: y"]
    )
    func words(text: String) throws {
        let line = try SearchLine(text)
        #expect(line.query == text)
        #expect(line.author == nil && !line.isHere)
    }

    @Test(
        "an invalid search gives an error",
        arguments: ["", "by:ada", "tea since:yesterday", "tea until:2026-13-01", "tea team:zoo"]
    )
    func mistakes(text: String) {
        #expect(throws: SearchLine.Mistake.self) { try SearchLine(text) }
    }

    @Test("a row says where the message was found, and cannot control the terminal")
    func rows() {
        let result = SearchResult(
            conversation: .make(),
            title: "Tea\u{1B}[2J",
            message: .make(),
            role: .assistant,
            author: nil,
            createdAt: Timestamp(milliseconds: 1_769_817_600_000),
            snippet: [
                SnippetPart(text: "green ", match: false), SnippetPart(text: "tea", match: true),
            ]
        )
        let plain = ChatTranscript.searchRow(result, number: 3, isTerminal: false).text
        #expect(plain.hasPrefix("3. Tea"))
        #expect(plain.hasSuffix(" · answer · 2026-01-31: green *tea*"))
        #expect(!plain.contains("\u{1B}"))
        let bold = ChatTranscript.searchRow(result, number: 3, isTerminal: true).text
        #expect(bold.hasSuffix("green \u{1B}[1mtea\u{1B}[0m"))
    }
}
