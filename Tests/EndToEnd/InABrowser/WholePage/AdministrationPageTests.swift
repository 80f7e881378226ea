// The administration in the page: who sees it, and what administrators do there.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "The administration on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ann"], administrator: "root")
    )
    struct TheAdministrationOnThePage {
        private static let error = "document.querySelector('[data-testid=administration-error]')"
        private static let note = "document.querySelector('[data-testid=administration-note]')"
        private static let dialog = "document.querySelector('[data-testid=administration-dialog]')"
        private static let table = "document.querySelector('.administration table')"

        /// A browser in which `root` has opened the administration.
        private func administrator(of server: StoaServer) throws -> Browser {
            let browser = try Browser(BrowserDriver())
            try browser.signIn("root", on: server)
            try browser.click("#administration-open")
            try browser.wait("document.title.startsWith('Overview')")
            return browser
        }

        private func go(to address: String, in browser: Browser) throws {
            try browser.script("location.hash = arguments[0]", [.string(address)])
        }

        @Test("an administrator sees the server's state, makes a user and limits their tokens")
        func newUser() throws {
            let server = try SharedServer.server()
            let browser = try administrator(of: server)
            try browser.wait(
                "document.querySelector('[data-testid=facts]')?.textContent.includes('running')"
            )
            try browser.wait(#"document.querySelector('[data-check="database reachable"]')"#)

            try browser.click("[data-section=users]")
            try browser.click("[data-testid=user-new]")
            try browser.type("dora\n", into: "[data-testid=user-new-name]")
            try browser.wait("document.querySelector('[data-testid=link]')")
            let link = try browser.script(
                "return document.querySelector('[data-testid=link]').value"
            )
            #expect(link.text?.hasPrefix("\(server.origin)/#") == true, "\(link)")
            try browser.click("[data-testid=dialog-done]")
            // Shown once: nothing of it stays in the page.
            try browser.wait("\(Self.dialog) === null")

            try browser.wait("\(Self.table)?.textContent.includes('dora')")
            try browser.click("a[href='#administration/users/dora']")
            try browser.click("[data-testid=budget-change]")
            try browser.type("some\n", into: "[data-testid=budget-daily]")
            try browser.wait("\(Self.dialog)?.textContent.includes('whole number of tokens')")
            try browser.script("document.querySelector('[data-testid=budget-daily]').value = ''")
            try browser.type("50000\n", into: "[data-testid=budget-daily]")
            let usage = "document.querySelector('[data-testid=usage]')"
            try browser.wait("\(usage)?.textContent.includes('0 of 50,000 tokens')")
            // The address names the user: a reload shows the same, and Back the list.
            try browser.reload()
            try browser.wait("\(usage)?.textContent.includes('0 of 50,000 tokens')")
            try browser.script("history.back()")
            try browser.wait("document.querySelector('[data-testid=user-new]')")
            try browser.click("[data-testid=administration-back]")
            try browser.wait("document.querySelector('#composer-text').checkVisibility()")
            #expect(try browser.complaints() == [])
        }

        @Test("a run is seen and stopped, and the audit log tells who did it")
        func run() throws {
            // The model is never loaded: the answer waits until it is stopped.
            let folder = try TemporaryFolder()
            let gate = "\(folder.path)/gate"
            _ = try EndToEnd.WithServersOfTheirOwn.TheModels.makeGate(at: gate)
            let server = try StoaServer(["--model", gate])
            try server.addUser("root", isAdmin: true)
            try server.addUser("ann")
            let ann = try server.connect(server.signIn("ann"))
            _ = try ann.say("Hello!", in: try ann.createConversation())
            let browser = try administrator(of: server)
            try go(to: "administration/runs", in: browser)
            let stop = ".administration tbody button"
            try browser.wait("document.querySelector('\(stop)')")
            #expect(try browser.text(".administration table").contains("ann"))
            try browser.click(stop)
            try browser.click("[data-testid=dialog-agree]")
            try browser.wait("\(Self.note).textContent.includes('ann is stopping')")

            try go(to: "administration/audit?action=run", in: browser)
            try browser.wait("\(Self.table)?.textContent.includes('run.stopped')")
            try browser.type("nobody\n", into: "[data-filter=actor]")
            try browser.wait("document.querySelector('[data-testid=none]').checkVisibility()")
            // Filters are in the address.
            try browser.reload()
            try browser.wait("document.querySelector('[data-filter=actor]')?.value === 'nobody'")
            try browser.wait("document.querySelector('[data-testid=none]').checkVisibility()")
            try browser.script("document.querySelector('[data-filter=actor]').value = ''")
            try browser.type("root\n", into: "[data-filter=actor]")
            try browser.wait("\(Self.table).textContent.includes('run.stopped')")
            #expect(try browser.complaints() == [])
        }

        @Test(
            "the last administrator stays one, and the page says so; their own account stays, too"
        )
        func lastAdministrator() throws {
            let browser = try administrator(of: SharedServer.server())
            try go(to: "administration/users/root", in: browser)
            try browser.click("[data-testid=user-demote]")
            try browser.click("[data-testid=dialog-agree]")
            let problem = "document.querySelector('[data-testid=dialog-error]')"
            try browser.wait("\(problem).textContent.includes('administrator')")
            #expect(
                try browser.script("return document.querySelector('[data-testid=user-delete]')")
                    == .null
            )
            #expect(try browser.complaints() == [])
        }

        @Test("a user who is no administrator sees no entry, and a plain sentence at the address")
        func others() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ann", on: server)
            #expect(
                try browser.script("return document.querySelector('#administration-open').hidden")
                    == true
            )
            try go(to: "administration/users", in: browser)
            try browser.wait("document.title.startsWith('For administrators only')")
            #expect(
                try browser.text(".administration").contains("An administrator can make you one")
            )
            #expect(try browser.script("return \(Self.table)") == .null)
            #expect(try browser.complaints() == [])
        }
    }
}
