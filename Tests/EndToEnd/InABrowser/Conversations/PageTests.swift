// The page in a real browser.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "The page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct ThePage {
        @Test("a new user signs up by the link, asks, sees the answer streamed, and stops one")
        func firstRun() throws {
            let server = try StoaServer(isFirstStart: true)
            let link = try server.signUpLink()
            let browser = try Browser(BrowserDriver())
            try browser.open(link)
            try browser.type("ada", into: "#sign-in-name")
            try browser.type(server.password(of: "ada"), into: "#sign-in-password")
            try browser.click("#sign-in-submit")
            try browser.wait("document.querySelector('#user-name').checkVisibility()")
            #expect(try browser.text("#user-name") == "ada")
            let address = try #require(browser.script("return location.href").text)
            #expect(!address.contains("sign-up"), "the link stays in the history")

            try browser.click("#new-conversation")
            // A story takes a tenth of a second: a busy page may draw it in few steps.
            var answers = 0
            var hasDots = false
            var steps = 0
            while answers < 5, !hasDots || steps <= 3 {
                answers += 1
                try browser.script(Self.recorder)
                try browser.type("Tell me a long story.\n", into: "#composer-text")
                try browser.wait(Page.answer(answers, is: "complete"))
                let seen = try browser.script("return window.seen")
                hasDots = seen["dots"] == true
                steps = seen["lengths"].elements.count
            }
            #expect(hasDots, "no dots while it waits")
            #expect(steps > 3, "the text does not grow")
            let meta = #"[data-role="assistant"] [data-testid="message-pace"]"#
            #expect(try browser.text(meta).contains("tokens/s"))

            let stopped = try browser.stopStory(after: answers, of: "ada", on: server)
            let stored = try server.stored(browser)
            #expect(stored.count == 2 * stopped && stored.last?.state == .stopped)
            #expect(stored.dropLast().allSatisfy { $0.state == .complete })
            #expect(try browser.texts() == stored.map(\.text))
            #expect(try browser.complaints() == [])

            // The link was valid once.
            let second = try Browser(BrowserDriver())
            try second.open(link)
            try second.type("eve", into: "#sign-in-name")
            try second.type("eve's password", into: "#sign-in-password")
            try second.click("#sign-in-submit")
            try second.wait("document.querySelector('#sign-in-error').textContent")
            #expect(try second.text("#sign-in-error").contains("link"))
        }

        /// Records what the page shows of the next answer while it runs.
        private static let recorder = """
            const rows = () => document.querySelectorAll('#messages [data-role="assistant"]');
            const before = rows().length;
            const seen = { dots: false, lengths: [] };
            window.seen = seen;
            const look = () => {
                const row = rows()[before];
                if (!row) return;
                const dots = row.querySelector(".dots");
                if (dots?.checkVisibility()) seen.dots = true;
                const { length } = row.messageText;
                if (length > 0 && seen.lengths.at(-1) !== length) seen.lengths.push(length);
            };
            new MutationObserver(look).observe(document, {
                subtree: true, childList: true, characterData: true, attributes: true,
            });
            """
    }

    @Suite(
        "The page of a team",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"], ["--lease-seconds", "3"])
    )
    struct ThePageOfATeam {
        @Test("two users see the same running answer, and a reload in the middle loses nothing")
        func twoBrowsers() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let ada = try Browser(driver)
            let bo = try Browser(driver)
            try ada.signIn("ada", on: server)
            try bo.signIn("bo", on: server)
            try ada.click("#new-conversation")
            try ada.type("What is the capital of France?\n", into: "#composer-text")
            try ada.wait(Page.answer(1, is: "complete"))
            try ada.click("#conversation-menu-button")
            try ada.click("#menu-invite")
            try ada.type("bo", into: "#invite-name")
            try ada.click("#invite-submit")
            try ada.wait("document.querySelector('#member-list').textContent.includes('bo')")
            try ada.click("#invite-dialog [data-close]")

            try bo.click("#conversation-list button")
            try bo.wait(Page.answer(1, is: "complete"))
            // Several, so that one is running while the page loads.
            for _ in 0..<4 { try ada.type("Tell me a long story.\n", into: "#composer-text") }
            try bo.wait(Page.answer(2, grows: true))
            try bo.reload()
            for browser in [ada, bo] { try browser.wait(Page.answer(5, is: "complete")) }
            let stored = try server.stored(ada).map(\.text)
            #expect(stored.count == 10)
            #expect(try ada.texts() == stored)
            #expect(try bo.texts() == stored)

            try bo.type("What is 2 + 3?\n", into: "#composer-text")
            for browser in [ada, bo] { try browser.wait(Page.answer(6, is: "complete")) }
            #expect(try ada.texts() == bo.texts())
            #expect(try ada.complaints() == [])
            #expect(try bo.complaints() == [])
        }

        @Test("the page reconnects to a restarted server, and the answer continues")
        func restart() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#new-conversation")
            try browser.type("Tell me a long story.\n", into: "#composer-text")
            try browser.wait(Page.answer(1, grows: true))
            try server.kill()
            try server.start()
            try browser.wait(Page.answer(1, is: "complete"))
            #expect(try browser.texts() == server.stored(browser).map(\.text))
        }

        @Test("HTML in messages and titles is text, and never runs")
        func hostileHTML() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#new-conversation")
            let attack = "<img src=x onerror=window.attacked=1><script>window.attacked=1</script>"
            try browser.type("\(attack)\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.click("#conversation-menu-button")
            try browser.click("#menu-settings")
            try browser.script("document.querySelector('#settings-title').value = '';")
            try browser.type(attack, into: "#settings-title")
            try browser.click("#settings-save")
            let title = "document.querySelector('#conversation-title').textContent"
            try browser.wait("\(title).includes(\(quoted(attack)))")
            #expect(try browser.texts().first == attack)
            #expect(try browser.script("return window.attacked ?? null") == .null)
            let images =
                "return document.querySelectorAll('#messages img, #messages script').length"
            #expect(try browser.script(images) == 0)
        }

        @Test("search finds messages, and export downloads a file")
        func searchAndExport() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let browser = try Browser(driver)
            try browser.signIn("ada", on: server)
            try browser.click("#new-conversation")
            try browser.type("My project is called zanzibar.\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            let conversation = try browser.conversation()
            try browser.click("#new-conversation")
            try browser.type("zanzib", into: "#search")
            let result = #"[data-testid="search-result"]"#
            try browser.wait("document.querySelector('\(result) mark')")
            #expect(try browser.text("\(result) mark") == "zanzibar")
            try browser.click(result)
            try browser.wait("location.hash.includes('\(conversation)')")
            try browser.wait(Page.answer(1, is: "complete"))

            try browser.click("#conversation-menu-button")
            try browser.click("#menu-export")
            try browser.click("#export-markdown")
            let file = "\(driver.folder.path)/stoa-\(conversation).md"
            var text = ""
            try eventually("the exported file") {
                let data = try? Data(contentsOf: URL(filePath: file))
                text = String(decoding: data ?? Data(), as: UTF8.self)
                return !text.isEmpty
            }
            for message in try server.stored(browser) { #expect(text.contains(message.text)) }
            #expect(try browser.complaints() == [])
        }
    }
}
