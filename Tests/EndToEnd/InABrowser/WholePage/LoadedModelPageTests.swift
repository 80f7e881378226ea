// An administrator loads and unloads models, and chooses the default, on the page.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "Loaded models on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct LoadedModelsOnThePage {
        @Test("an administrator changes the default, unloads the former one and loads it again")
        func journey() throws {
            let folder = try TemporaryFolder()
            let models = try ["first", "second"].map {
                try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(to: "\(folder.path)/\($0)")
            }
            let server = try StoaServer(["--model", models[0], "--model", models[1]])
            try server.addUser("ada", isAdmin: true)
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.type("Hello!\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            let conversation = try browser.script("return location.hash")

            try browser.script("location.hash = 'administration/models'")
            let list = ".administration .model-rows"
            func row(_ name: String) -> String {
                "document.querySelector('\(list) [data-model-name=\(name)]')"
            }
            try browser.wait("\(row("second"))?.dataset.state === 'ready'")
            try browser.wait(
                "document.querySelector('.administration [data-testid=model-memory]')"
                    + ".textContent.includes('GB of memory')"
            )
            // What does not fit is said before it is fetched.
            try browser.type("phi-4", into: ".administration [data-testid=model-name]")
            try browser.wait(
                "document.querySelector('.administration [data-testid=model-memory]')"
                    + ".textContent.includes('phi-4 needs about 9.1 GB')"
            )
            // Of others the hub is asked; here it cannot be reached.
            try browser.script(
                "document.querySelector('.administration [data-testid=model-name]').value = ''"
            )
            try browser.type("org/other", into: ".administration [data-testid=model-name]")
            try browser.wait(
                "document.querySelector('.administration [data-testid=model-memory]')"
                    + ".textContent.includes('What org/other needs is not known')"
            )
            // The default has no button that unloads it.
            let unload = "\(row("first")).querySelector('[data-testid=unload]')"
            try browser.wait("\(unload).hidden")
            try browser.click("\(list) [data-model-name=second] [data-testid=make-default]")
            try browser.wait("\(row("second")).textContent.includes('the default')")
            try browser.wait("!\(unload).hidden")
            try browser.click("\(list) [data-model-name=first] [data-testid=unload]")
            try browser.wait(
                "document.querySelector('[data-testid=administration-dialog]')"
                    + ".textContent.includes('second answers in its conversations')"
            )
            try browser.click("[data-testid=dialog-agree]")
            try browser.wait("\(row("first")).dataset.state === 'unloaded'")

            // Its conversation says which model answers.
            try browser.script("location.hash = arguments[0]", [conversation])
            let banner = "document.querySelector('#banner').textContent"
            try browser.wait("\(banner).includes('first is not loaded at present: second answers')")
            try browser.script("location.hash = 'administration/models'")
            try browser.wait("\(row("first"))?.dataset.state === 'unloaded'")
            try browser.click("\(list) [data-model-name=first] [data-testid=load]")
            try browser.wait("\(row("first")).dataset.state === 'ready'")
            #expect(try browser.complaints() == [])
        }
    }
}
