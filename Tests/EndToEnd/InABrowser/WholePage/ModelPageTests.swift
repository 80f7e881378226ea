// Models on the page: an administrator downloads one, selects it, and gets an answer.

import ChatProtocol
import FoundationEssentials
import Glibc
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "The page's models",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct ThePagesModels {
        /// A folder for screenshots of the tests; nil, the default, for none.
        private static let pictures = ProcessInfo.processInfo.environment["STOA_PICTURES"]

        @Test("an administrator downloads a model, selects it, and gets an answer")
        func pull() throws {
            let hub = try DemoHub()
            let server = try StoaServer(environment: ["HF_ENDPOINT": hub.address])
            try server.addUser("ada", isAdmin: true)
            try server.addUser("bo")
            let driver = try BrowserDriver()
            let ada = try Browser(driver)
            let bo = try Browser(driver)
            try ada.signIn("ada", on: server)
            try bo.signIn("bo", on: server)
            #expect(try bo.script("return document.querySelector('#models-open').hidden") == true)

            // Wrong names are explained next to the input.
            try ada.click("#models-open")
            try ada.wait("document.querySelectorAll('#model-suggestions option').length > 3")
            try ada.type("no name\n", into: "#model-name")
            try ada.wait("document.querySelector('#models-error').textContent.includes('no name')")
            try ada.script("document.querySelector('#model-name').value = ''")

            // What it needs is estimated while its name stands there.
            try ada.type(DemoHub.model, into: "#model-name")
            try ada.wait(
                "document.querySelector('#model-memory').textContent"
                    + ".includes('By an estimate from its files, \(DemoHub.model) needs 20.5 MB')"
            )
            hub.hold()
            try ada.type("\n", into: "#model-name")
            let row = #"document.querySelector('[data-model-name="\#(DemoHub.model)"]')"#
            try ada.wait("\(row)?.dataset.state === 'fetching'")
            try ada.wait("\(row)?.querySelector('progress').value > 0")
            try ada.wait("\(row)?.textContent.includes('MB')")
            try picture(of: ada, "fetching")
            // The state is the server's: a reload shows the same.
            try ada.reload()
            try ada.click("#models-open")
            try ada.wait("\(row)?.querySelector('progress').value > 0")
            try ada.click("[data-testid=cancel-pull]:not([hidden])")
            try ada.wait("\(row) === null")

            try ada.type("\(DemoHub.model)\n", into: "#model-name")
            try ada.wait("\(row)?.querySelector('progress').value > 0")
            hub.release()
            try ada.wait("\(row)?.dataset.state === 'ready'")
            try ada.click("#models-dialog [data-close]")
            try choose(DemoHub.model, in: ada, on: server)
            try ada.type("What is the capital of France?\n", into: "#composer-text")
            try ada.wait(Page.answer(1, is: "complete"))
            try picture(of: ada, "chosen")
            let chosen = try ada.script("return document.querySelector('#model-chooser').value")
            #expect(chosen == .string(DemoHub.model))
            // Others see it, too, without a reload.
            try bo.click("#new-conversation")
            try bo.wait("!document.querySelector('#model-chooser').hidden")
            #expect(try ada.complaints() == [])
            #expect(try bo.complaints() == [])
        }

        @Test("while a model loads the page says so, and questions are answered afterwards")
        func loading() throws {
            let folder = try TemporaryFolder()
            let gate = "\(folder.path)/gate"
            let pipe = try EndToEnd.WithServersOfTheirOwn.TheModels.makeGate(at: gate)
            let slow = try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(
                to: "\(folder.path)/slow"
            )
            // Models load one after the other: the second waits until the test fails the first one.
            let server = try StoaServer(["--model", gate, "--model", slow])
            try server.addUser("ada")
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.wait("document.querySelector('#banner-progress').checkVisibility()")
            try choose("slow", in: browser, on: server)
            try browser.type("What is the capital of France?\n", into: "#composer-text")
            let waiting = "document.querySelector('#messages').textContent"
            try browser.wait("\(waiting).includes('slow is loading, 0')")
            try picture(of: browser, "loading")
            let health = try HTTPCall.send(.get, "/readyz", port: server.port)
            #expect(health.status == 503)
            #expect(health.text.contains("being loaded"))

            close(open(pipe, O_WRONLY | O_CLOEXEC))
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.wait("document.querySelector('#banner').hidden")
            #expect(try browser.texts().last?.isEmpty == false)
            // The default has failed: its conversations say so.
            try browser.click("#new-conversation")
            try browser.wait(
                "document.querySelector('#banner').textContent.includes('gate could not be loaded')"
            )
            try picture(of: browser, "failed")
            #expect(try browser.complaints() == [])
        }

        /// Creates a conversation, and selects its model in the page's header.
        private func choose(_ model: String, in browser: Browser, on server: StoaServer) throws {
            try browser.click("#new-conversation")
            let conversation = try browser.conversation()
            try browser.wait("!document.querySelector('#model-chooser').hidden")
            try browser.script(
                """
                const chooser = document.querySelector("#model-chooser");
                chooser.value = arguments[0];
                chooser.dispatchEvent(new Event("change"));
                """,
                [.string(model)]
            )
            let peer = try server.connect(server.signIn("ada"))
            let request = ConversationRequest(conversation: conversation)
            try eventually("the choice") {
                let reply = try peer.call(.conversationGet, request, as: ConversationReply.self)
                return reply.conversation.model == model
            }
        }

        private func picture(of browser: Browser, _ name: String) throws {
            guard let folder = Self.pictures else { return }
            // Animations have ended, except the dots of a queued answer.
            try browser.wait(
                """
                document.getAnimations().every(
                    (motion) => motion.effect.getTiming().iterations === Infinity)
                """
            )
            try Data(browser.screenshot()).write(to: URL(filePath: "\(folder)/\(name).png"))
        }
    }
}
