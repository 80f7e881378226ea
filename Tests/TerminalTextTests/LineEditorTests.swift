// The line editor: keys in, text and cursor out.

import TerminalText
import Testing

@Suite("The line editor")
struct LineEditorTests {
    /// The text after keys, with "|" at the cursor.
    private func edited(_ keys: [Key], _ editor: LineEditor = LineEditor()) -> String {
        var editor = editor
        for key in keys { _ = editor.take(key) }
        return shown(editor)
    }

    private func shown(_ editor: LineEditor) -> String {
        String(editor.text[..<editor.cursor]) + "|" + String(editor.text[editor.cursor...])
    }

    private func typed(_ text: String) -> [Key] { text.map { .character($0) } }

    @Test("characters are typed, removed and killed as in readline")
    func editing() {
        #expect(edited(typed("tea")) == "tea|")
        #expect(edited(typed("tea") + [.left, .character("x")]) == "tex|a")
        #expect(edited(typed("tea") + [.backspace, .home, .delete]) == "|e")
        #expect(edited(typed("one two") + [.control("w")]) == "one |")
        #expect(
            edited(typed("one two") + [.wordLeft, .control("k"), .home, .control("y")])
                == "two|one "
        )
        #expect(edited(typed("one two") + [.control("a"), .alt("d"), .end]) == " two|")
        #expect(edited(typed("👩‍🚀e\u{301}") + [.backspace]) == "👩‍🚀|")
    }

    @Test("Alt-Enter, a backslash and a paste make several lines, and the arrows move in them")
    func severalLines() {
        #expect(edited(typed("a") + [.altEnter] + typed("b")) == "a\nb|")
        #expect(edited(typed("a\\") + [.enter] + typed("b")) == "a\nb|")
        #expect(edited([.paste("one\ntwo")] + [.up]) == "one|\ntwo")
        #expect(edited([.paste("one\ntwo"), .up, .down, .home]) == "one\n|two")
    }

    @Test("Enter submits, Ctrl-C drops, and Ctrl-D ends only an empty text")
    func actions() {
        var editor = LineEditor()
        for key in typed("tea") { #expect(editor.take(key) == .none) }
        #expect(editor.take(.enter) == .submit("tea"))
        #expect(shown(editor) == "|")
        _ = editor.take(.character("x"))
        #expect(editor.take(.control("d")) == .none)
        #expect(editor.take(.control("c")) == .interrupt)
        #expect(shown(editor) == "|")
        #expect(editor.take(.control("d")) == .end)
        #expect(editor.take(.control("x")) == .none)
        #expect(editor.take(.control("e")) == .openEditor)
    }

    @Test("earlier lines come back, and so does the text that was not sent")
    func history() {
        let editor = LineEditor(history: ["one", "two"])
        #expect(edited([.up], editor) == "two|")
        #expect(edited([.up, .up, .up], editor) == "one|")
        #expect(edited(typed("new") + [.up, .up, .down, .down], editor) == "new|")
    }

    @Test("the typed text is laid out in lines, with the cursor's place")
    func layout() {
        var editor = LineEditor()
        for key in typed("abcdef日本") + [.altEnter] + typed("x") { _ = editor.take(key) }
        let layout = PromptLayout(editor, prompt: Span("> "), columns: 10)
        #expect(layout.lines.map(\.text) == ["> abcdef日", "  本", "  x"])
        #expect(layout.cursor == LiveScreen.Position(row: 2, column: 3))
    }
}
