// Names that shells complete.

import Testing
import stoa

@Suite("Completion by a shell")
struct CompletionNameTests {
    @Test(
        "a name with anything that a shell interprets is not offered",
        arguments: [
            "$(touch x)", "`touch x`", "${HOME}", "a\\b", "it's", "a \"b\"", "a;b", "a&b", "a|b",
            "a>b", "a<b", "(a)", "{a,b}", "a*", "a?", "[a]", "~", "!a", "#a", "a^b", "-a", "",
            "a\nb", "a\tb", "=ls",
        ]
    )
    func refused(name: String) {
        #expect(!CompletionName.isHarmless(name))
    }

    @Test("usual titles are offered", arguments: ["Tea", "緑茶 and cake", "v1.2: a/b, 50%", "phi-4"])
    func offered(name: String) {
        #expect(CompletionName.isHarmless(name))
    }

    @Test("each shell gets what its script needs for spaces and colons")
    func escaped() {
        let name = "Plan: tea"
        #expect(CompletionName.escaped(name, for: .bash) == #"Plan:\ tea"#)
        #expect(CompletionName.escaped(name, for: .zsh) == #"Plan\: tea"#)
        #expect(CompletionName.escaped(name, for: .fish) == name)
        #expect(CompletionName.escaped(name, for: nil) == name)
    }
}
