// The page without a mouse: palette, shortcuts, messages, and where the focus goes.

import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "The page by the keyboard",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada"])
    )
    struct ThePageByTheKeyboard {
        private static let control = "\u{E009}"
        private static let escape = "\u{E00C}"
        private static let up = "\u{E013}"
        private static let delete = "\u{E017}"

        @Test("a conversation is asked, walked through, changed and deleted by keys alone")
        func journey() throws {
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: SharedServer.server())
            // In the field, signs are text.
            try browser.type("Who are you?\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.type("Hello, n/c?\n", into: "#composer-text")
            try browser.wait(Page.answer(2, is: "complete"))
            #expect(try browser.texts().contains("Hello, n/c?"))

            // The palette finds a command by a few letters; its dialog returns the focus.
            try press("\(Self.control)k", in: browser)
            try browser.wait("document.querySelector('#palette-dialog[open]')")
            try press("settcon\n", in: browser)
            try browser.wait("document.querySelector('#settings-dialog[open]')")
            try press(Self.escape, in: browser)
            try browser.wait("document.activeElement.id === 'composer-text'")

            // It finds messages, which the server searches.
            try press("\(Self.control)k", in: browser)
            try browser.wait("document.querySelector('#palette-dialog[open]')")
            try press("who are", in: browser)
            try browser.wait(
                "document.querySelector('#palette-messages ~ [role=option]')?.textContent"
            )
            try press(Self.escape, in: browser)

            // Arrows and letters walk through the messages; the sheet comes back to the same one.
            try press(Self.up, in: browser)
            try browser.wait(focused(row: 4))
            try press("k", in: browser)
            try browser.wait(focused(row: 3))
            try press("?", in: browser)
            try browser.wait("document.querySelector('#shortcuts-dialog[open]')")
            try press(Self.escape, in: browser)
            try browser.wait(focused(row: 3))
            try press("e", in: browser)
            try browser.wait("document.activeElement.matches('.editor textarea')")
            try press(Self.escape, in: browser)
            try browser.wait("document.activeElement.matches('[data-action=edit]')")

            // What is deleted passes the focus on.
            try press(Self.delete, in: browser)
            try browser.wait("document.querySelector('#confirm-dialog[open]')")
            try browser.type("\n", into: "#confirm-yes")
            try browser.wait("document.querySelectorAll('#messages > li').length === 2")
            try browser.wait(focused(row: 2))
            try press(Self.escape, in: browser)
            try browser.wait("document.activeElement.id === 'composer-text'")
            #expect(try browser.complaints() == [])
        }

        @Test("a dialog that the menu opens returns the focus to the menu's button")
        func menu() throws {
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: SharedServer.server())
            try browser.click("#new-conversation")
            try browser.click("#conversation-menu-button")
            try browser.click("#menu-settings")
            try press(Self.escape, in: browser)
            try browser.wait("document.activeElement.id === 'conversation-menu-button'")
        }

        @Test("a screen reader hears the sentences of an answer, and once that it is complete")
        func announcements() throws {
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: SharedServer.server())
            try browser.type("Hello!\n", into: "#composer-text")
            let heard = "document.querySelector('#announcer').textContent"
            try browser.wait("\(heard).includes('The answer is complete.')")
            try browser.click("[data-role=assistant] [data-action=good]")
            try browser.wait("document.querySelector('[data-action=good][aria-pressed=true]')")
            let times = try browser.script("return \(heard).split('complete').length - 1")
            #expect(times == 1)
            #expect(try browser.script("return \(heard).startsWith('Phi: ')") == true)
        }

        /// Whether the message with that number, from 1 on, has the focus.
        private func focused(row: Int) -> String {
            "document.activeElement === document.querySelector('#messages').children[\(row - 1)]"
        }

        /// Types into what has the focus.
        private func press(_ keys: String, in browser: Browser) throws {
            try browser.press(keys)
        }
    }
}
