// Presence and typing on the page.

import ChatProtocol
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Company on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct PresenceOnThePage {
        @Test("others are seen joining, typing and leaving; typing alone is not sent")
        func presence() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let ada = try Browser(driver)
            try ada.signIn("ada", on: server)
            try ada.script(Self.noteTyping)
            try ada.click("#new-conversation")
            let conversation = try ada.conversation()
            try ada.type("Anybody here?\n", into: "#composer-text")
            try ada.wait(Page.answer(1, is: "complete"))
            #expect(try ada.script("return window.typing") == 0)
            let owner = try SharedServer.connect("ada")
            let add = MemberAddRequest(conversation: conversation, user: "bo")
            _ = try owner.call(.memberAdd, add, as: MemberReply.self)
            #expect(try ada.script("return document.querySelector('#presence').hidden") == true)

            let bo = try Browser(driver)
            try bo.signIn("bo", on: server)
            try bo.click("#conversation-list button")
            for (browser, other) in [(ada, "bo"), (bo, "ada")] {
                try browser.wait(
                    "document.querySelector('#presence').checkVisibility() &&"
                        + " document.querySelector('#presence li').title === '\(other)'"
                )
            }
            #expect(try ada.script("return document.querySelectorAll('#presence li').length") == 1)

            try bo.type("Yes", into: "#composer-text")
            let writer =
                "document.querySelector('#typing').checkVisibility() &&"
                + " document.querySelector('#typing-text').textContent"
            try ada.wait("(\(writer)) === 'bo is writing…'")
            let announced = "document.querySelector('#announcer').textContent"
            try ada.wait("\(announced).includes('bo is writing')")
            // Users see others typing, not themselves.
            #expect(try bo.script("return document.querySelector('#typing').hidden") == true)
            try bo.type("\n", into: "#composer-text")
            try ada.wait("document.querySelector('#typing').hidden")
            try ada.wait(Page.answer(2, is: "complete"))
            try ada.type("Good.", into: "#composer-text")
            try ada.wait("window.typing === 1")

            try bo.click("#new-conversation")
            try ada.wait("document.querySelector('#presence').hidden")
            for browser in [ada, bo] { #expect(try browser.complaints() == []) }
        }

        @Test("imported authors keep the names of the other server")
        func importedNames() throws {
            let server = try SharedServer.server()
            let bo = try SharedServer.connect("bo")
            let conversation = try bo.createConversation(title: "From elsewhere")
            var mirror = try bo.watch(conversation)
            _ = try bo.ask("What is 2 + 3?", in: conversation, &mirror)
            func headers(_ user: String) throws -> HTTPHeaders {
                [.authorization: "Bearer \(try #require(SharedServer.tokens[user]))"]
            }
            let file = try server.get(
                "/api/v1/conversations/\(conversation)/export?format=stoa",
                headers: headers("bo")
            )
            let report = try HTTPCall.send(
                .post,
                "/api/v1/import",
                port: server.port,
                headers: headers("ada"),
                body: file.body
            )
            #expect(report.status == 200)

            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#conversation-list button")
            try browser.wait(Page.answer(1, is: "complete"))
            let author = "[data-role=\"user\"] [data-testid=\"message-author\"]"
            #expect(try browser.text(author) == "bo")
            #expect(try browser.complaints() == [])
        }

        /// Counts how often the page sends `typing`.
        private static let noteTyping = """
            window.typing = 0;
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                if (JSON.parse(text).op === "typing") window.typing += 1;
                send.call(this, text);
            };
            """
    }
}
