// The page in another language, and from right to left.

import TestSupport
import Testing

extension EndToEnd.InABrowser {
    @Suite(
        "The page in other languages",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct ThePageInOtherLanguages {
        @Test("a browser that asks for Finnish gets it, from the sign-in to the answer")
        func finnish() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            let agent = try browser.script("return navigator.userAgent")
            try browser.debug(
                "Emulation.setUserAgentOverride",
                ["userAgent": agent, "acceptLanguage": "sv-FI,fi-FI,en-GB"]
            )
            try browser.open(server.origin)
            try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
            #expect(try browser.text("#sign-in-title") == "Kirjaudu Stoaan")
            #expect(try browser.script("return document.documentElement.lang") == "fi")

            // What the server refuses is said in Finnish, too.
            try browser.type("ada", into: "#sign-in-name")
            try browser.type("not the password\n", into: "#sign-in-password")
            let problem = "document.querySelector('#sign-in-error').textContent"
            try browser.wait(problem)
            #expect(try browser.script("return /salasana/i.test(\(problem))") == true)

            try browser.signIn("ada", on: server)
            #expect(try browser.text("#welcome").contains("Hei, ada"))
            try browser.type("What is 2 + 3?\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            let copy = "[data-role=assistant] [data-testid=copy-answer]"
            #expect(try browser.text(copy) == "Kopioi")
            let heard = "document.querySelector('#announcer').textContent"
            try browser.wait("\(heard).includes('Vastaus on valmis.')")
            #expect(try browser.complaints() == [])
        }

        @Test(
            "from right to left nothing is cut off at a desk and on a small phone, and one can write"
        )
        func rightToLeft() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("bo", on: server)
            try browser.open("\(server.origin)/?language=pseudo")
            try browser.wait("document.querySelector('#new-conversation')?.checkVisibility()")
            #expect(try browser.script("return document.documentElement.dir") == "rtl")
            try browser.type("Show me some code.\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            // The list is on the right; code is still read from the left.
            let left = "document.querySelector('#sidebar').getBoundingClientRect().left"
            #expect(try browser.script("return \(left) > innerWidth / 2") == true)
            let code = "getComputedStyle(document.querySelector('#messages pre')).direction"
            #expect(try browser.script("return \(code)") == "ltr")
            #expect(try browser.script(Self.outside).elements == [])

            try browser.emulatePhone(width: 320)
            // The list moves out of the window.
            try browser.wait("document.getAnimations().length === 0")
            #expect(try browser.script(Self.outside).elements == [])
            try browser.type("And 3 + 4?\n", into: "#composer-text")
            try browser.wait(Page.answer(2, is: "complete"))
            #expect(try browser.script(Self.outside).elements == [])
            try browser.click("#drawer-open")
            try browser.wait("document.getAnimations().length === 0")
            #expect(try browser.script(Self.outside).elements == [])
            #expect(try browser.complaints() == [])
        }

        /// The visible elements that reach beyond an edge of the window, scrolled boxes aside.
        private static let outside = """
            const isScrolled = (node) => node.parentElement?.closest("pre, .table-box");
            return [...document.querySelectorAll("#workspace *")]
                .filter((node) => node.checkVisibility({ visibilityProperty: true })
                    && !isScrolled(node) && !node.closest(".visually-hidden, svg, .skip"))
                .map((node) => ({ node, box: node.getBoundingClientRect() }))
                .filter(({ box }) => box.width > 0 && (box.left < -1 || box.right > innerWidth + 1))
                .map(({ node, box }) =>
                    `${node.tagName} ${node.id} ${node.className} ${box.left} ${box.right}`);
            """
    }
}
