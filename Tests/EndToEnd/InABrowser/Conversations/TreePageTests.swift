// Branches on the page: edited questions, regenerated answers, and tabs that show different
// branches.

import ChatProtocol
import FoundationEssentials
import Postgres
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "The page's branches",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct ThePagesBranches {
        /// A folder for screenshots of the tests; nil, the default, for none.
        private static let pictures = ProcessInfo.processInfo.environment["STOA_PICTURES"]

        /// A button of the last message of a role.
        private static func button(_ name: String, _ role: MessageRole) -> String {
            "#messages > li[data-role=\"\(role.rawValue)\"]:nth-last-child(-n+2) "
                + "[data-testid=\"message-\(name)\"]"
        }

        /// Whether the last message of a role is version `place` of `count`.
        private static func version(_ place: Int, of count: Int, _ role: MessageRole) -> String {
            """
            [...document.querySelectorAll('#messages [data-role="\(role.rawValue)"]')].at(-1)
                ?.querySelector('[data-testid="message-pager"]:not([hidden]) .pager-count')
                ?.textContent === '\(place)/\(count)'
            """
        }

        private func picture(of browser: Browser, _ name: String) throws {
            guard let folder = Self.pictures else { return }
            try browser.wait("document.getAnimations().length === 0")
            try Data(browser.screenshot()).write(to: URL(filePath: "\(folder)/\(name).png"))
        }

        private func asked(_ user: String, _ driver: BrowserDriver) throws -> Browser {
            let browser = try Browser(driver)
            try browser.signIn(user, on: try SharedServer.server())
            try browser.click("#new-conversation")
            try browser.type("What is 2 + 3?\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            return browser
        }

        @Test("a regenerated answer and an edited question are one key press away from the first")
        func versions() throws {
            let server = try SharedServer.server()
            let browser = try asked("ada", BrowserDriver())
            let first = try browser.texts()
            try browser.click(Self.button("regenerate", .assistant))
            try browser.wait(Self.version(2, of: 2, .assistant))
            try browser.wait(Page.answer(1, is: "complete"))
            try picture(of: browser, "versions")

            try browser.type("\n", into: Self.button("previous", .assistant))
            try browser.wait(Self.version(1, of: 2, .assistant))
            // The focus stays on the pager, for the next key press.
            try browser.wait("document.activeElement.dataset.testid === 'message-next'")
            #expect(try browser.texts() == first)
            // The selection is stored.
            try browser.reload()
            try browser.wait(Self.version(1, of: 2, .assistant))
            #expect(try browser.texts() == server.stored(browser).map(\.text))

            try browser.click(Self.button("edit", .user))
            try browser.type("x\u{E00C}", into: "[data-testid=edit-text]")
            try browser.wait("!document.querySelector('[data-testid=edit-text]')")
            #expect(try browser.texts() == first, "Escape changes nothing")
            try browser.click(Self.button("edit", .user))
            try browser.script("document.querySelector('[data-testid=edit-text]').value = ''")
            try picture(of: browser, "editor")
            try browser.type("What is 3 + 3?\n", into: "[data-testid=edit-text]")
            try browser.wait(Self.version(2, of: 2, .user))
            try browser.wait(Page.answer(1, is: "complete"))
            #expect(try browser.texts().first == "What is 3 + 3?")
            #expect(try browser.texts() == server.stored(browser).map(\.text))

            try browser.click(Self.button("good", .assistant))
            let good = Self.button("good", .assistant)
            let pressed = "document.querySelector('\(good)[aria-pressed=true]')"
            try browser.wait(pressed)
            try browser.reload()
            try browser.wait(pressed)
            #expect(try browser.complaints() == [])
        }

        @Test("two answers are compared side by side, and one of them is chosen")
        func comparison() throws {
            let server = try SharedServer.server()
            let browser = try asked("bo", BrowserDriver())
            let first = try #require(try server.stored(browser).last)
            // The demo model says the same each time.
            _ = try server.database().query(
                "UPDATE messages SET body = 'They make **five**.' WHERE id = $1 RETURNING 1",
                [.uuid(first.id.uuid)]
            )
            try browser.reload()
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.click(Self.button("regenerate", .assistant))
            try browser.wait(Self.version(2, of: 2, .assistant))
            try browser.wait(Page.answer(1, is: "complete"))
            let second = try #require(try browser.texts().last)

            try browser.click(Self.button("compare", .assistant))
            let sides = "[...document.querySelectorAll('[data-testid=compare-text]')]"
            try browser.wait("\(sides)[0]?.textContent === 'They make **five**.'")
            #expect(try browser.script("return \(sides)[1].textContent") == .string(second))
            try browser.wait("\(sides).every((side) => side.querySelector('mark.differs'))")
            // Without the marks of differences, both are formatted.
            try browser.click("[data-testid=compare-marks]")
            try browser.wait("\(sides)[0].querySelector('strong')?.textContent === 'five'")
            // Also after they were shown again.
            try browser.click("[data-testid=compare-marks]")
            try browser.wait("\(sides).every((side) => side.querySelector('mark.differs'))")
            try browser.click("[data-testid=compare-marks]")
            try browser.wait("\(sides)[0].querySelector('strong')?.textContent === 'five'")
            try browser.click("[data-testid=compare-show]:not([disabled])")
            try browser.wait(Self.version(1, of: 2, .assistant))
            #expect(try browser.script("return document.querySelector('#compare-dialog')") == .null)
            #expect(try browser.texts().last == "They make **five**.")
            #expect(try browser.complaints() == [])
        }

        @Test("two tabs show the branch that each selected, and questions go to the shown branch")
        func twoTabs() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let one = try asked("ada", driver)
            let conversation = try one.conversation()
            try one.click(Self.button("regenerate", .assistant))
            try one.wait(Self.version(2, of: 2, .assistant))
            try one.wait(Page.answer(1, is: "complete"))
            let two = try Browser(driver)
            try two.signIn("ada", on: server)
            try two.open("\(server.origin)/#conversation=\(conversation)")
            try two.wait(Self.version(2, of: 2, .assistant))
            try two.click(Self.button("previous", .assistant))
            try two.wait(Self.version(1, of: 2, .assistant))

            try two.type("Tell me a joke.\n", into: "#composer-text")
            try two.wait(Page.answer(2, is: "complete"))
            // The other tab gets the event, and keeps its branch.
            try one.click(Self.button("regenerate", .assistant))
            try one.wait(Self.version(3, of: 3, .assistant))
            try one.wait(Page.answer(1, is: "complete"))
            #expect(try one.texts().count == 2)
            #expect(try two.texts().count == 4)
            let count = "document.querySelector('#messages .pager:not([hidden]) .pager-count')"
            try two.wait("\(count).textContent === '1/3'")
            #expect(try one.complaints() == [])
            #expect(try two.complaints() == [])
        }

        @Test("a stopped answer is continued in another version of it")
        func continuing() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("bo", on: server)
            try browser.click("#new-conversation")
            let number = try browser.stopStory(after: 0, of: "bo", on: server)
            let beginning = try #require(try browser.texts().last)
            try browser.click(Self.button("continue", .assistant))
            try browser.wait(Self.version(2, of: 2, .assistant))
            try browser.wait(Page.answer(number, is: "complete"))
            let text = try #require(try browser.texts().last)
            #expect(text.hasPrefix(beginning))
            #expect(text.utf8.count > beginning.utf8.count)
            #expect(try browser.texts() == server.stored(browser).map(\.text))
            let hidden = "document.querySelector('\(Self.button("continue", .assistant))').hidden"
            #expect(try browser.script("return \(hidden)") == true)
            #expect(try browser.complaints() == [])
        }

        @Test("a copy is the user's own, and a deletion is for all members")
        func copyAndDelete() throws {
            let server = try SharedServer.server()
            let browser = try asked("bo", BrowserDriver())
            let conversation = try browser.conversation()
            try browser.type("Tell me a joke.\n", into: "#composer-text")
            try browser.wait(Page.answer(2, is: "complete"))
            let texts = try browser.texts()
            let other = try Browser(BrowserDriver())
            try other.signIn("bo", on: server)
            try other.open("\(server.origin)/#conversation=\(conversation)")
            try other.wait(Page.answer(2, is: "complete"))

            try browser.click(Self.button("fork", .assistant))
            try browser.wait("!location.hash.includes('\(conversation)')")
            try browser.wait(Page.answer(2, is: "complete"))
            #expect(try browser.texts() == texts)
            try browser.click(Self.button("delete", .user))
            try browser.click("#confirm-yes")
            try browser.wait("document.querySelectorAll('#messages > li').length === 2")
            #expect(try browser.texts() == Array(texts.prefix(2)))
            #expect(try browser.texts() == server.stored(browser).map(\.text))
            #expect(try other.texts() == texts)

            try browser.open("\(server.origin)/#conversation=\(conversation)")
            try browser.wait(Page.answer(2, is: "complete"))
            try browser.click(Self.button("delete", .assistant))
            try browser.click("#confirm-yes")
            for tab in [browser, other] {
                try tab.wait("document.querySelectorAll('#messages > li').length === 3")
            }
            try browser.click("[data-testid=undo]")
            for tab in [browser, other] {
                try tab.wait(Page.answer(2, is: "complete"))
                #expect(try tab.texts() == texts)
            }
            #expect(try browser.complaints() == [])
        }

        @Test("on a phone and in dark mode everything fits and is readable")
        func phone() throws {
            let browser = try Browser(BrowserDriver(), width: 390, height: 760)
            try browser.emulate(colorScheme: "dark")
            try browser.signIn("ada", on: try SharedServer.server())
            try browser.type("What is 2 + 3?\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.click(Self.button("regenerate", .assistant))
            try browser.wait(Self.version(2, of: 2, .assistant))
            try browser.wait(Page.answer(1, is: "complete"))
            try picture(of: browser, "phone")
            // Elements that are too wide are named, so that a failure is specific.
            let outside = """
                return [...document.querySelectorAll('.tools button, .tools span')].map((node) => {
                    if (!node.checkVisibility()) return '';
                    const { left, right } = node.getBoundingClientRect();
                    return left < 0 || right > innerWidth ? `${node.outerHTML} ${left} ${right}` : '';
                }).join('')
                """
            #expect(try browser.script(outside) == "")
            try browser.click(Self.button("edit", .user))
            try browser.wait("document.querySelector('[data-testid=edit-text]')")
            try picture(of: browser, "phone-editor")
            let wide = """
                return document.querySelector('#thread').scrollWidth <= innerWidth ? ''
                    : `${innerWidth}: ${document.querySelector('#thread').innerText}`
                """
            #expect(try browser.script(wide) == "")
            let colour = "getComputedStyle(document.querySelector('.tool')).color"
            #expect(try browser.script("return \(colour)") == "rgb(160, 160, 168)")
        }
    }
}
