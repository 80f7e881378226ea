// The full screen of `stoa tui`, as its rows.

import ChatClient
import ChatProtocol
import TerminalText
import Testing
import stoa

@Suite("The page of the full screen")
struct ChatPageTests {
    private let scene = TeaScene()

    private func conversation(_ title: String, unread: Int? = nil) -> Conversation {
        Conversation(
            id: .make(),
            title: title,
            systemPrompt: "",
            model: "phi",
            role: .owner,
            members: [],
            settings: GenerationSettings(),
            n: 1,
            createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 0),
            unread: unread
        )
    }

    private func page(columns: Int = 80, rows: Int = 24) -> ChatPage {
        var page = ChatPage(columns: columns, rows: rows)
        page.list = [conversation("Tea"), conversation("Cake", unread: 3), conversation("緑茶")]
        page.open = page.list[0].id
        page.title = "Tea — ada — phi"
        return page
    }

    private func editor(_ text: String) -> LineEditor {
        var editor = LineEditor()
        editor.set(text)
        return editor
    }

    @Test("list, thread, status and composer have their places on 80 columns and 24 rows")
    func places() {
        var page = page()
        page.status = StyledLine("⋯ bo is typing")
        var thread = ThreadLines(user: scene.ada.id, width: page.threadWidth)
        var view = scene.view()
        thread.show([.reloaded], of: view)
        let question = scene.message(scene.grace, "What *tea*?")
        thread.show(view.apply(scene.created(2, question)), of: view)
        let (grid, cursor) = page.grid(thread: thread, editor: editor("Green"))
        let rows = grid.text
        #expect(rows.count == 24)
        #expect(rows[0] == " Tea — ada — phi")
        #expect(rows[1] == "▸ Tea                     │")
        #expect(rows[2] == "3 Cake                    │")
        #expect(rows[3] == "  緑茶                    │")
        #expect(rows[20].hasSuffix("│ grace"))
        #expect(rows[21].hasSuffix("│ What tea?"))
        #expect(rows[22].hasSuffix("│ ⋯ bo is typing"))
        #expect(rows[23].hasSuffix("│ > Green"))
        #expect((cursor.row, cursor.column) == (23, page.listWidth + 2 + 7))
        #expect(page.conversation(row: 2, column: 5) == page.list[1].id)
        #expect(page.conversation(row: 2, column: 40) == nil)
        #expect(page.conversation(row: 9, column: 5) == nil)
    }

    @Test("a narrow screen shows the thread, or the list while a row of it is selected")
    func narrow() {
        var page = page(columns: 40, rows: 6)
        var thread = ThreadLines(user: scene.ada.id, width: page.threadWidth)
        thread.note("a note")
        #expect(page.threadWidth == 40)
        #expect(page.grid(thread: thread, editor: editor("x")).grid.text[3] == "a note")
        page.selected = 1
        let (grid, cursor) = page.grid(thread: thread, editor: editor("x"))
        #expect(grid.text == [" Tea — ada — phi", "▸ Tea", "3 Cake", "  緑茶", "", ""])
        #expect((cursor.row, cursor.column) == (2, 0))
    }

    @Test("a screen of any size is drawn, and its cursor stands in it", arguments: 1...12)
    func sizes(columns: Int) {
        for rows in 1...6 {
            var page = page(columns: columns * 8 - 7, rows: rows)
            for selected in [nil, 0, 2] {
                page.selected = selected
                let text = String(repeating: "word 緑茶\n", count: 12)
                var thread = ThreadLines(user: scene.ada.id, width: page.threadWidth)
                thread.note("\(text)")
                let (grid, cursor) = page.grid(thread: thread, editor: editor(text))
                #expect(grid.rows == rows)
                #expect((0..<rows).contains(cursor.row) || rows < 2)
            }
        }
    }

    @Test("answers of several speakers grow at once, each under its own name")
    func several() {
        var thread = ThreadLines(user: scene.ada.id, width: 40)
        var view = scene.view()
        thread.show([.reloaded], of: view)
        thread.said("Tea?", by: "ada")
        #expect(thread.window(height: 9).map(\.text) == ["", "ada", "Tea?"])
        let question = scene.message(scene.ada, "Tea?")
        var first = scene.message(nil, "", id: scene.answer)
        first.parent = question.id
        var second = scene.message(nil, "")
        second.parent = first.id
        for event in [
            scene.created(2, question), scene.created(3, first), scene.created(4, second),
        ] {
            thread.show(view.apply(event), of: view)
        }
        let queued = MessageQueued(
            conversation: scene.conversation,
            message: second.id,
            position: 2,
            eta: 12
        )
        thread.show(view.apply(.messageQueued(queued)), of: view)
        thread.show(view.apply(scene.delta(0, "# Green\n\ntea is")), of: view)
        #expect(
            thread.window(height: 20).map(\.text) == [
                "", "ada", "Tea?", "", "phi", "Green", "", "tea is", "", "phi",
                "⋯ queue position 2, about 12 s",
            ]
        )
        let text = "# Green\n\ntea is"
        thread.show(view.apply(scene.completed(5, text)), of: view)
        #expect(thread.window(height: 9).map(\.text).contains("tea is"))
    }

    @Test("a typed message is shown once, also after a reload, and not if it is refused")
    func sent() {
        var thread = ThreadLines(user: scene.ada.id, width: 40)
        var view = scene.view()
        thread.show([.reloaded], of: view)
        thread.said("Tea?", by: "ada")
        thread.said("Cake?", by: "ada")
        _ = view.apply(scene.created(2, scene.message(scene.ada, "Tea?")))
        thread.show([.reloaded], of: view)
        #expect(thread.window(height: 9).map(\.text) == ["", "ada", "Tea?", "", "ada", "Cake?"])
        thread.unsent("Cake?")
        #expect(thread.window(height: 9).map(\.text) == ["", "ada", "Tea?"])
    }

    @Test("a window that is scrolled up stays where it is while lines come")
    func scrolling() {
        var thread = ThreadLines(user: scene.ada.id, width: 40)
        for number in 0..<20 { thread.note("note \(number)") }
        #expect(thread.window(height: 2).map(\.text) == ["", "note 19"])
        thread.scroll(by: -10, height: 2)
        let before = thread.window(height: 2)
        var view = scene.view()
        thread.show([.reloaded], of: view)
        thread.show(view.apply(scene.created(2, scene.message(scene.grace, "More?"))), of: view)
        #expect(thread.window(height: 2) == before)
        #expect(thread.isScrolledUp)
        thread.scroll(by: 99, height: 2)
        #expect(!thread.isScrolledUp)
        thread.scroll(by: -99, height: 2)
        #expect(thread.window(height: 2).map(\.text) == ["", "note 0"])
    }

    @Test("a line stands above what is new, and another width lays all out again")
    func marks() {
        var view = scene.view()
        let messages = (0..<3).map { scene.message(scene.grace, "message \($0) of an afternoon") }
        var parent: MessageID?
        for (n, message) in messages.enumerated() {
            var message = message
            message.parent = parent
            parent = message.id
            _ = view.apply(scene.created(Int64(n + 2), message))
        }
        var thread = ThreadLines(user: scene.ada.id, width: 20, unread: 2)
        thread.show([.reloaded], of: view)
        let rows = thread.window(height: 20).map(\.text)
        #expect(rows.firstIndex { $0.contains(" new ") } == 5)
        #expect(rows[7] == "grace")
        thread.resize(width: 30)
        #expect(thread.window(height: 20).map(\.text).contains("message 2 of an afternoon"))
        for unread in [0, 3, 4] {
            #expect(ReadMark.firstNew(in: messages, for: scene.ada.id, unread: unread) == nil)
        }
    }

    @Test("titles, names and messages cannot control the terminal")
    func safety() {
        var page = page()
        page.title = "\u{1B}]0;evil\u{7}Tea"
        page.list = [conversation("\u{9B}2JTea\u{202E}")]
        var view = scene.view()
        var thread = ThreadLines(user: scene.ada.id, width: page.threadWidth)
        thread.show([.reloaded], of: view)
        let message = scene.message(scene.grace, "a\u{1B}[6nb\u{1B}]52;c;eA==\u{7}c")
        thread.show(view.apply(scene.created(2, message)), of: view)
        var screen = FullScreen(hasStyles: false)
        let (grid, cursor) = page.grid(thread: thread, editor: editor(""))
        let output = screen.draw(grid, cursor: cursor).text
        for part in ["]0;", "6n", "]52", "\u{9B}", "\u{202E}"] { #expect(!output.contains(part)) }
        #expect(output.contains("abc"))
    }
}
