// The first minute: from the printed link to the first answer of a real model.

import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "The first minute",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct TheFirstMinute {
        @Test("from the link to an account, the demo model, a real one, and its first answer")
        func newcomer() throws {
            let hub = try DemoHub()
            let server = try StoaServer(
                environment: ["HF_ENDPOINT": hub.address],
                isFirstStart: true
            )
            let browser = try Browser(BrowserDriver())
            try browser.open(server.signUpLink())

            // A short password is refused while it is typed.
            try browser.type("ada", into: "#sign-in-name")
            try browser.type("short", into: "#sign-in-password")
            let rule = "document.querySelector('#sign-in-password-rule')"
            try browser.wait("\(rule).classList.contains('form-error')")
            #expect(try browser.text("#sign-in-password-rule").contains("8 to 1024 characters"))
            try browser.type(server.password(of: "ada"), into: "#sign-in-password")
            try browser.wait("!\(rule).classList.contains('form-error')")
            try browser.click("#sign-in-submit")

            // The welcome says what answers, and what to try.
            try browser.wait("document.querySelector('#welcome-lead').textContent.includes('demo')")
            let suggestions = "document.querySelectorAll('#suggestions button')"
            #expect(try browser.script("return \(suggestions).length") == 3)
            try browser.wait("document.querySelectorAll('[data-testid=get-model]').length === 3")
            let card = "document.querySelector('[data-testid=first-model]')"
            try browser.wait("\(card).innerText.includes('2.2 GB to download')")
            try browser.click("#suggestions button")
            try browser.wait(Page.answer(1, is: "complete"))

            // The hub of the tests has one model; a real one comes by the same way.
            try browser.click("#new-conversation")
            hub.hold()
            try browser.click("#models-open")
            try browser.type("\(DemoHub.model)\n", into: "#model-name")
            try browser.wait("document.querySelector('[data-state=fetching]')")
            try browser.click("#models-dialog [data-close]")
            let progress = "document.querySelector('[data-testid=first-model-progress]')"
            try browser.wait("\(progress)?.value > 0")
            hub.release()
            try browser.click("[data-testid=ask-model]")
            let chooser = "document.querySelector('#model-chooser')"
            try browser.wait("\(chooser).value === \(quoted(DemoHub.model))")
            try browser.type("Hello!\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            #expect(try browser.complaints() == [])
        }
    }
}
