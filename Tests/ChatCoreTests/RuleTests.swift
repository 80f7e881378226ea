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
