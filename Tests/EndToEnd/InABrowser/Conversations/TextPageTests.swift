// Formatted text as people use it: code with its buttons, formulas, a question's source, long texts.

import ChatProtocol
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Text on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct TextPageTests {
        private static let question = """
            See **this** and $x^2$[^1]:

            ```js title="sum.mjs"
            \((1...40).map { "let value\($0) = \($0);" }.joined(separator: "\n"))
            ```

            - [x] done
            - [ ] open

            [^1]: A note.
            """

        @Test("a question is formatted, and its source, code and notes can be reached")
        func text() throws {
            let server = try StoaServer()
            try server.addUser("ann")
            let peer = try server.connect(try server.signIn("ann"))
            let conversation = try peer.createConversation(title: "Text")
            _ = try peer.say(Self.question, in: conversation)
            _ = try peer.say(String(repeating: "pasted words ", count: 300), in: conversation)
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ann", on: server)
            try browser.open("\(server.origin)/#conversation=\(conversation)")

            // The libraries arrive with the first formula and the first code.
            try browser.wait("document.querySelector('#messages .formula math msup')")
            try browser.wait("document.querySelectorAll('#messages .code-keyword').length === 40")
            let tasks = """
                return [...document.querySelectorAll('#messages li.task input')]
                    .map((box) => `${box.ariaLabel} ${box.checked} ${box.disabled}`)
                """
            #expect(try browser.script(tasks) == ["done true true", "open false true"])

            // Long code is folded until the user opens it; lines wrap on request.
            let folded = "document.querySelector('#messages .code-block').className"
            #expect(try browser.script("return \(folded)") == "code-block is-folded")
            // By a script: the driver scrolls it below the head, where it cannot be clicked.
            try browser.script("document.querySelector('#messages .fold-code').click()")
            try browser.click("#messages .wrap-code")
            #expect(try browser.script("return \(folded)") == "code-block is-wrapped")
            let download = "return document.querySelector('.download-code').ariaLabel"
            #expect(try browser.script(download) == "Download as sum.mjs")

            // A note and its reference lead to each other.
            try browser.click("#messages [data-note='1']")
            try browser.wait("document.activeElement.dataset.noteText === '1'")
            try browser.click("#messages [data-note-back='1']")
            try browser.wait("document.activeElement.dataset.note === '1'")

            // The source of a question, and back.
            let shown = "document.querySelector('#messages [data-testid=message-text]')"
            try browser.click("#messages [data-testid=show-source]")
            #expect(try browser.script("return \(shown).textContent") == .string(Self.question))
            try browser.click("#messages [data-testid=show-source]")
            try browser.wait("\(shown).querySelector('strong')?.textContent === 'this'")

            // A long question is folded.
            let height =
                "document.querySelector('.fold-text:not([hidden])').parentElement.offsetHeight"
            let before = try browser.script("return \(height)").number ?? 0
            try browser.click(".fold-text:not([hidden])")
            #expect(try browser.script("return \(height)").number ?? 0 > before)
        }
    }
}
