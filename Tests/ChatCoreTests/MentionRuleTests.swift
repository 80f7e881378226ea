import ChatCore
import TestSupport
import Testing

@Suite("Mentions in a text")
struct MentionRuleTests {
    /// The longest possible name of each mention.
    private func names(_ text: String) -> [String] {
        MentionRule.names(in: text).compactMap(\.first)
    }

    @Test(
        "a name follows an @ at the start of a word",
        arguments: [
            ("@ann", ["ann"]),
            ("tea, @ann?", ["ann"]),
            ("(@ann) „@bob“ [@cy]", ["ann", "bob", "cy"]),
            ("@ann,@bob/@cy", ["ann", "bob"]),
            ("@ann's cup", ["ann"]),
            ("@ann-marie_2 @Zoë @李雷 @9", ["ann-marie_2", "Zoë", "李雷", "9"]),
            ("@ann @ann and @ann", ["ann"]),
            ("@Ann @ann", ["Ann", "ann"]),
            ("line\n@ann\r\n@bob", ["ann", "bob"]),
        ]
    )
    func places(text: String, expected: [String]) {
        #expect(names(text) == expected)
    }

    @Test(
        "an @ inside a word, address or path, escaped or alone, is no mention",
        arguments: [
            "", "@", "@ ann", "ann@example.org", "@ann@example.org", "https://example.org/@ann",
            "_@ann", "e\u{301}@ann", "@@ann", "\\@ann", "@ann\u{301}", "@!",
            "@\(String(repeating: "a", count: 201))",
        ]
    )
    func nobody(text: String) {
        #expect(names(text).isEmpty, "\(text)")
    }

    @Test(
        "punctuation at the end may belong to the name or to the sentence",
        arguments: [
            ("@ann.", ["ann.", "ann"]),
            ("@ann...", ["ann...", "ann..", "ann.", "ann"]),
            ("@ann....", ["ann....", "ann...", "ann..", "ann."]),
            ("@ann.bob-", ["ann.bob-", "ann.bob"]),
            ("@-", ["-"]),
        ]
    )
    func trailingMarks(text: String, expected: [String]) {
        #expect(MentionRule.names(in: text) == [expected])
    }

    @Test(
        "code contains no mentions",
        arguments: [
            ("`@ann`", []),
            ("`@ann` and @bob", ["bob"]),
            ("`` ` @ann ` `` @bob", ["bob"]),
            ("`two\nlines @ann` @bob", ["bob"]),
            ("```\n@ann\n```\n@bob", ["bob"]),
            ("@bob\n~~~swift\n@ann\n```\n@ann\n~~~\n", ["bob"]),
            ("````\n```\n@ann\n````\n@bob", ["bob"]),
            ("> ```\n> @ann\n> ```\n@bob", ["bob"]),
            ("1. so:\n   ```\n   @ann\n\n   @ann\n   ```\n@bob", ["bob"]),
            ("```\n@ann has no end", []),
            ("``` @ann ``` @bob", ["bob"]),
            // A fence or backtick that opens no code is text.
            ("a ` @ann", ["ann"]),
            ("a `` @ann `", ["ann"]),
            ("a `\n\n@ann ` b", ["ann"]),
            ("~~ @ann ~~", ["ann"]),
        ] as [(String, [String])]
    )
    func code(text: String, expected: [String]) {
        #expect(names(text) == expected)
    }

    @Test("the number of names and the scanned length are limited")
    func bounds() {
        let many = (0..<50).map { "@u\($0)" }.joined(separator: " ")
        #expect(names(many) == (0..<MentionRule.namesMax).map { "u\($0)" })
        let far = String(repeating: " ", count: MentionRule.scannedMax)
        #expect(names(far + "@ann").isEmpty)
        #expect(names(String(far.dropFirst(4)) + "@ann") == ["ann"])
    }

    @Test("a mention is found in any prose, and in no code", arguments: 0..<40)
    func property(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // No backticks and no tildes: only the surrounding text decides.
        let pieces = ["tea ", "\n", "\n\n", "> ", "- ", ".", "@", "é", " \\", "1. ", "    ", "李"]
        for _ in 0..<50 {
            func noise() -> String {
                (0..<Int.random(in: 0..<12, using: &generator))
                    .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            let (before, after) = (noise(), noise())
            let prose = "\(before) @ann \(after)"
            #expect(MentionRule.names(in: prose).contains(["ann"]), "\(prose)")
            let block = "\(before)\n```\n\(noise()) @ann \(noise())\n```\n\(after)"
            #expect(!MentionRule.names(in: block).contains(["ann"]), "\(block)")
        }
    }

    @Test("for any text, names are few, distinct and not too long")
    func anything() {
        var generator = SeededGenerator(seed: 7)
        let pieces = Array("@@@@```~~~\\ann.-_ \n\n>é😀\u{301}1/").map(String.init)
        for _ in 0..<500 {
            let text = (0..<200).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let found = MentionRule.names(in: text)
            #expect(found.count <= MentionRule.namesMax)
            #expect(Set(found.map(\.first)).count == found.count)
            for possible in found {
                #expect(possible == possible.sorted { $0.utf8.count > $1.utf8.count })
                #expect(possible.allSatisfy { text.contains("@\($0)") && !$0.isEmpty })
            }
        }
    }
}
