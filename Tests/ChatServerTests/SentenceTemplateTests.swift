import ChatServer
import Testing

@Suite("Sentences with values")
struct SentenceTemplateTests {
    @Test(
        "get the values at their names, and nothing else is read in them",
        arguments: [
            ("none", "none"), ("{a} of {b}", "1 of {a}"), ("{a}{a}", "11"),
            ("{c} and {a}", "{c} and 1"), ("a } b {", "a } b {"),
        ]
    )
    func fill(template: String, sentence: String) {
        #expect(SentenceTemplate.fill(template, ["a": "1", "b": "{a}"]) == sentence)
    }
}
