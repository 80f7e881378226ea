import ChatCore
import ChatProtocol
import Testing

@Suite("Search queries")
struct SearchTermTests {
    @Test(
        "a query is split at spaces and quotation marks",
        arguments: [
            ("tea", [.init("tea")]),
            ("  green\ttea ", [.init("green"), .init("tea")]),
            ("\"green tea\" milk", [.init("green tea", isPhrase: true), .init("milk")]),
            (
                "say“hello you”now",
                [.init("say"), .init("hello you", isPhrase: true), .init("now")]
            ),
            ("\"no end", [.init("no end", isPhrase: true)]),
            ("don't x-y", [.init("don't"), .init("x-y")]),
        ] as [(String, [SearchQuery.Term])]
    )
    func queries(text: String, terms: [SearchQuery.Term]) throws {
        #expect(try SearchQuery(text).terms == terms)
    }

    @Test(
        "a term is found by index entries, and by a pattern if they are not sufficient",
        arguments: [
            (" tea ", false, "tea:*", nil, "%tea%"),
            (" tea ", true, "tea", nil, nil),
            (" ab ", false, "ab:*", nil, nil),
            (" foo bar ", false, "foo bar:*", "% foo bar%", nil),
            (" foo bar ", true, "foo bar", "% foo bar %", nil),
            (" 茶 ", false, "茶:*", nil, nil),
            (" 绿茶 ", true, "绿茶", nil, nil),
            (" 喝绿茶 ", false, "喝绿 绿茶", "%喝绿茶%", nil),
            (" a茶b ", false, "a 茶:* b:*", "% a茶b%", nil),
            (" туман ", false, "туман:*", nil, "%туман%"),
        ] as [(String, Bool, String, String?, String?)]
    )
    func terms(
        folded: String,
        isPhrase: Bool,
        tokens: String,
        pattern: String?,
        piece: String?
    ) throws {
        let term = try #require(SearchTerm(folded: folded, isPhrase: isPhrase))
        let entries = term.tokens.map { $0.text + ($0.isPrefix ? ":*" : "") }
        #expect(entries.joined(separator: " ") == tokens)
        #expect(term.pattern == pattern)
        #expect(term.piecePattern == piece)
    }

    @Test("an empty text is not a term")
    func nothing() {
        #expect(SearchTerm(folded: "  ", isPhrase: false) == nil)
    }

    @Test(
        "matches are marked as whole words",
        arguments: [
            ("Milk, and tea.", "tea", "Milk, and [tea]."),
            ("Teapots and steaks", "tea", "[Teapots] and steaks"),
            ("Only steaks", "tea", "Only [steaks]"),
            ("Foo-Bar\n\nbaz", "foo bar", "[Foo-Bar] baz"),
            ("我喝绿茶", "绿茶", "我喝[绿茶]"),
            ("茶 and 茶", "茶", "[茶] and [茶]"),
            ("Crème brûlée", "brulee", "Crème [brûlée]"),
        ]
    )
    func snippets(text: String, folded: String, marked: String) throws {
        let term = try #require(SearchTerm(folded: folded, isPhrase: false))
        let folding: [Character: String] = [
            "è": " e ", "û": " u ", "é": " e ", "我": " 我 ", "喝": " 喝 ", "绿": " 绿 ", "茶": " 茶 ",
        ]
        let parts = Snippet(text, terms: [term], folding: folding).parts
        #expect(parts.map { $0.match ? "[\($0.text)]" : $0.text }.joined() == marked)
    }

    @Test("a snippet of a long text has about two hundred characters around the most matches")
    func window() throws {
        let terms = ["one", "two"].compactMap { SearchTerm(folded: $0, isPhrase: false) }
        let filling = String(repeating: "filling ", count: 100)
        let text = filling + "one " + filling + "one two " + filling
        let parts = Snippet(text, terms: terms, folding: [:]).parts
        #expect(parts.filter(\.match).map(\.text) == ["one", "two"])
        let count = parts.map(\.text.count).reduce(0, +)
        #expect((150...200).contains(count))
        #expect(Snippet("", terms: terms, folding: [:]).parts.isEmpty)
    }
}
