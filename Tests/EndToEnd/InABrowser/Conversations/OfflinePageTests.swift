// Reading without the server: the service worker has the page, the browser's database what was read.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "The page without the server",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada"], ["--lease-seconds", "3"])
    )
    struct ThePageWithoutTheServer {
        /// The texts of stored messages, as a promise.
        private static let stored = """
            new Promise((done) => {
                const opening = indexedDB.open("stoa", 1);
                opening.onsuccess = () => {
                    const store = opening.result.transaction("conversations")
                        .objectStore("conversations").getAll();
                    store.onsuccess = () => {
                        opening.result.close();
                        done(store.result.flatMap(({ reply }) => reply.snapshot.messages)
                            .map(({ text }) => text));
                    };
                };
            })
            """
        private static let isWorkerActive =
            "navigator.serviceWorker.getRegistration().then((found) => found?.active != null)"
        private static let isNoteShown =
            "document.querySelector('[data-testid=offline-note]')?.checkVisibility() === true"

        /// Waits until a promise of the page resolves to true.
        private func wait(in browser: Browser, _ promise: String) throws {
            let deadline = Deadline(.patience)
            while try browser.script("return \(promise)") != true {
                guard !deadline.isOver else { throw HarnessError("not in time: \(promise)") }
            }
        }

        @Test(
            "what was read can be read, what is written is sent later, and signing out removes it"
        )
        func journey() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#new-conversation")
            try browser.type("What is the capital of France?\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            let texts = try browser.texts()
            try wait(in: browser, "\(Self.stored).then((texts) => texts.length === 2)")
            try wait(in: browser, Self.isWorkerActive)

            try server.kill()
            try browser.reload()
            try browser.wait(Self.isNoteShown)
            #expect(try browser.text("[data-testid=offline-note]").contains("copy"))
            #expect(try browser.texts() == texts)
            try browser.wait("document.querySelector('#conversation-list [aria-current=true]')")
            try browser.type("What is 2 + 3?\n", into: "#composer-text")
            try browser.wait("document.querySelectorAll('#messages > li').length === 3")

            try server.start()
            try browser.wait(Page.answer(2, is: "complete"))
            try browser.wait("!(\(Self.isNoteShown))")
            #expect(try browser.texts() == server.stored(browser).map(\.text))

            try browser.click("#account-open")
            try browser.click("#sign-out")
            try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
            try wait(in: browser, "\(Self.stored).then((texts) => texts.length === 0)")
        }
    }
}
