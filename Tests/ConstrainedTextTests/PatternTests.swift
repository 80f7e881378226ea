import ConstrainedText
import Testing

@Suite("Regular expressions")
struct PatternTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var pattern: String
        var matching: [String]
        var others: [String]

        var testDescription: String { pattern }
    }

    static let examples = [
        Example(pattern: "abc", matching: ["abc"], others: ["", "ab", "abcd", "xabc"]),
        Example(pattern: "^abc$", matching: ["abc"], others: ["abcd"]),
        Example(pattern: "a|bc|", matching: ["a", "bc", ""], others: ["ab", "b"]),
        Example(pattern: "(yes|no)!?", matching: ["yes", "no!"], others: ["yes!!", "maybe"]),
        Example(pattern: "(?:ab)+", matching: ["ab", "abab"], others: ["", "aba"]),
        Example(pattern: "(?<year>[0-9]{4})", matching: ["2024"], others: ["202", "20245"]),
        Example(pattern: "a{2,3}", matching: ["aa", "aaa"], others: ["a", "aaaa"]),
        Example(pattern: "a{2,}", matching: ["aa", "aaaaa"], others: ["a"]),
        Example(pattern: "a*?b", matching: ["b", "aab"], others: ["a"]),
        Example(pattern: #"\d+\.\d{2}"#, matching: ["3.14", "10.00"], others: ["3.1", "3,14"]),
        Example(pattern: #"[^a-c\]]"#, matching: ["d", "é", "😀"], others: ["a", "]", "dd"]),
        Example(pattern: "[a-]", matching: ["a", "-"], others: ["b"]),
        Example(pattern: ".", matching: ["x", "ü", "漢", "😀"], others: ["\n", "", "xx"]),
        Example(pattern: #"\w\W\s\S"#, matching: ["a- b", "_é\tx"], others: ["aa b", "a-bb"]),
        Example(pattern: #"\u00e9\x41\u{1F600}"#, matching: ["éA😀"], others: ["eA😀"]),
        Example(pattern: #"\ud83d\ude00"#, matching: ["😀"], others: ["😁"]),
        Example(pattern: #"[α-ω]+"#, matching: ["λόγος".filter { $0 != "ό" }], others: ["abc"]),
        Example(pattern: "(a?){3}", matching: ["", "a", "aa", "aaa"], others: ["aaaa"]),
        Example(pattern: "(a*)*b", matching: ["b", "aaab"], others: ["a"]),
        Example(pattern: "((a|ab)(c|bcd)(d*))", matching: ["abcd", "abcdd"], others: ["abd"]),
    ]

    @Test("a text matches or does not", arguments: examples)
    func matches(example: Example) throws {
        let matcher = TextMatcher(try CompiledConstraint(.pattern(example.pattern)))
        for text in example.matching {
            #expect(matcher.matches(text.utf8), "\(text)")
        }
        for text in example.others {
            #expect(!matcher.matches(text.utf8), "\(text)")
        }
    }

    @Test(
        "what is not a regular language, or not supported, is refused by name",
        arguments: [
            (#"(a)\1"#, "references"), ("(?=a)b", "lookahead"), ("(?<!a)b", "lookbehind"),
            (#"\bword"#, #"\b"#), (#"\p{L}"#, #"\p"#), ("(?i)a", "flags"), ("a**", "quantifier"),
            ("*a", "quantifier"), ("(a", "("), ("a)", ")"), ("[a", "["), ("[b-a]", "range"),
            ("a{3,2}", "count"), ("a{x}", "count"), ("a^b", "^"), ("a$b", "$"), ("[]", "empty"),
            (#"\q"#, #"\q"#), ("a\\", "backslash"), ("a{9999999}", "count"), (#"\ud83d"#, "pair"),
        ]
    )
    func refuses(pattern: String, word: String) throws {
        let error = #expect(throws: ConstraintError.self) {
            try CompiledConstraint(.pattern(pattern))
        }
        #expect(error?.reason.contains(word) ?? false, "\(error?.reason ?? "")")
    }

    @Test(
        "patterns that blow up elsewhere are compiled and followed within bounds",
        arguments: [
            "(a?){900}", "((a{100}){100}){100}", "((a?b?c?){50}){50}", "(a*)*(a*)*(a*)*",
            ".*a.{1000}", "(a|aa|aaa|aaaa){1000}", "(.?){5000}", "((((a?){9}){9}){9}){9}",
            "(a{0,1000}b{0,1000}){0,1000}", "([a-z]+)*@([a-z]+)*",
        ]
    )
    func bounded(pattern: String) throws {
        let matcher = TextMatcher(try CompiledConstraint(.pattern(pattern)))
        _ = matcher.matches([UInt8](repeating: UInt8(ascii: "a"), count: 200))
    }
}
