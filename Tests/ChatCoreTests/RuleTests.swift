import ChatCore
import ChatProtocol
import Testing

@Suite("Rules")
struct RuleTests {
    @Test(
        "a title is the beginning of the first message",
        arguments: [
            ("Hello there", "Hello there"),
            ("\n\n  two\tlines \n of text", "two lines"),
            (String(repeating: "word ", count: 30), String(repeating: "word ", count: 12) + "…"),
            (String(repeating: "x", count: 100), String(repeating: "x", count: 59) + "…"),
            ("", ""),
        ]
    )
    func titles(text: String, title: String) {
        #expect(TitleRule.title(from: text) == title)
    }

    @Test(
        "a model's title is its first line without quotation marks and labels",
        arguments: [
            ("Making green tea", "Making green tea"),
            ("\n\n  \"Making green tea.\"\n\nIt is about tea.", "Making green tea"),
            ("**Title:** Making green tea", "Making green tea"),
            ("# Title: „Grüner Tee“", "Grüner Tee"),
            ("「緑茶の入れ方」。", "緑茶の入れ方"),
            ("How is tea made?", "How is tea made?"),
            ("\u{202E}Tea\u{7}", "Tea"),
            ("Titles of books", "Titles of books"),
            ("C++ and C#", "C++ and C#"),
        ]
    )
    func modelTitles(text: String, title: String) {
        #expect(TitleRule.title(fromModel: text) == title)
    }

    @Test("a long title of a model is cut after a whole word")
    func longModelTitle() {
        let text = String(repeating: "word ", count: 16)
        let title = String(repeating: "word ", count: 12) + "…"
        #expect(TitleRule.title(fromModel: text) == title)
    }

    @Test(
        "a text without words or with a long line is no title",
        arguments: ["", " \n \t", "\"…\"", "**", "?", String(repeating: "word ", count: 21)]
    )
    func uselessTitles(text: String) {
        #expect(TitleRule.title(fromModel: text) == nil)
    }

    @Test("events are delivered in the order of their numbers, whatever their order of arrival")
    func eventOrder() {
        for _ in 0..<200 {
            var order = EventOrder<Int64>(last: 4)
            var handedOn: [Int64] = []
            let arrivals = (Array(Int64(1)...20) + [7, 9, 12]).shuffled()
            for n in arrivals {
                handedOn += order.receive(n, n)
            }
            #expect(handedOn == Array(Int64(5)...20))
            #expect(!order.hasGap)
        }
    }
}
