// An administrator adds, drains and removes engines on other machines, on the page.

import Doubles
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "Remote engines on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct RemoteEnginesOnThePage {
        @Test("an engine is added, answers, is drained, and is removed with its model")
        func journey() throws {
            let engine = try EngineDouble { _, _ in .chat("Hello from afar.") }
            defer { engine.stop() }
            let server = try StoaServer(["--titles", "off"])
            try server.addUser("ada", isAdmin: true)
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.script("location.hash = 'administration/models'")
            let table = "document.querySelector('[data-testid=engines]')"
            try browser.wait("\(table)?.textContent.includes('There are none.')")

            try browser.click("[data-testid=engine-new]")
            try browser.type(engine.base, into: "[data-testid=engine-url]")
            try browser.type("phi", into: "[data-testid=engine-model]")
            try browser.type("remote", into: "[data-testid=engine-name]")
            try browser.type("label=gpu1 slots=2 key=x\n", into: "[data-testid=engine-words]")
            // What is wrong is said in the form, which stays open.
            try browser.wait(
                "document.querySelector('[data-testid=dialog-error]')"
                    + ".textContent.includes('key=')"
            )
            try browser.script("document.querySelector('[data-testid=engine-words]').value = ''")
            try browser.type("label=gpu1 slots=2\n", into: "[data-testid=engine-words]")
            try browser.wait("\(table).textContent.includes('gpu1')")
            try browser.wait("\(table).textContent.includes('vLLM')")
            try browser.wait("\(table).textContent.includes('0 of 2')")
            let models = "document.querySelector('.administration .model-rows')"
            try browser.wait("\(models).querySelector('[data-model-name=remote]') !== null")

            try browser.click("[data-testid=engine-drain]")
            try browser.wait("\(table).textContent.includes('draining')")
            try browser.click("[data-testid=engine-resume]")
            try browser.wait("\(table).textContent.includes('available')")
            try browser.click("[data-testid=engine-remove]")
            try browser.click("[data-testid=dialog-agree]")
            try browser.wait("\(table).textContent.includes('There are none.')")
            try browser.wait("\(models).querySelector('[data-model-name=remote]') === null")
            #expect(try browser.complaints() == [])
        }
    }
}
