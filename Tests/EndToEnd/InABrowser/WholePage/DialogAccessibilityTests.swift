// axe-core in dialogs with content: links that were made, a team's management, a device's code, models
// and engines.

import ChatProtocol
import Doubles
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "Dialogs for everybody",
        .enabled(
            if: Axe.whatIsMissing == nil,
            "needs chromium, chromedriver and axe-core: make setup installs them"
        )
    )
    struct DialogsForEverybody {
        @Test("axe finds no fault in links, teams, a device's code, models and engines")
        func noViolations() throws {
            let folder = try TemporaryFolder()
            let models = try ["first", "second"].map {
                try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(to: "\(folder.path)/\($0)")
            }
            let engine = try EngineDouble { _, _ in .chat("Hello from afar.") }
            defer { engine.stop() }
            let server = try StoaServer([
                "--model", models[0], "--model", models[1], "--titles", "off",
            ])
            try server.addUser("ada", isAdmin: true)
            let ada = try server.connect(server.signIn("ada"))
            let team = TeamCreateRequest(key: "lab", name: "Lab")
            _ = try ada.call(.teamCreate, team, as: TeamReply.self)
            let place = try ada.createConversation(title: "Bread")
            var mirror = try ada.watch(place)
            _ = try ada.ask("What is 2 + 3?", in: place, &mirror)
            let driver = try BrowserDriver()
            for isPhone in [false, true] {
                let browser = try Browser(driver)
                if isPhone { try browser.emulatePhone(width: 390) }
                try browser.signIn("ada", on: server)
                try auditLinks(to: place, in: browser)
                try auditTeam(in: browser)
                try auditHold(of: place, by: ada, in: browser)
                try auditDevice(of: server, in: browser)
                try auditModels(in: browser)
                try auditEngines(engine, in: browser)
                #expect(try browser.complaints() == [])
            }
        }

        private func auditLinks(to place: ConversationID, in browser: Browser) throws {
            try browser.wait("document.querySelector('\(Page.listRow(of: place))') !== null")
            let rows = "document.querySelectorAll('#share-dialog [data-testid=share-row]').length"
            for kind in ["live", "snapshot"] {
                try openDrawer(of: browser)
                try browser.auditDialog("share-dialog") {
                    try browser.choose("share", of: place)
                    try browser.wait("document.querySelector('#share-dialog[open]')")
                    let before = try browser.script("return \(rows)")
                    try browser.click("#share-dialog [data-testid=share-\(kind)]")
                    try browser.click("#share-dialog [data-testid=share-make]")
                    try browser.wait("document.querySelector('#share-address').value")
                    try browser.wait("\(rows) > \(before.number ?? 0)")
                }
            }
        }

        private func auditTeam(in browser: Browser) throws {
            try openDrawer(of: browser)
            try browser.auditDialog("team-dialog") {
                try browser.click("#teams-open")
                try browser.wait("document.querySelectorAll('#teams-list button').length > 0")
                try browser.click("#teams-list button")
                try browser.wait("document.querySelector('#team-heading').textContent")
                let log = "document.querySelector('[data-testid=team-audit-part]')"
                try browser.wait("\(log)?.hidden === false")
                try browser.script("\(log).open = true")
                try browser.wait("document.querySelector('[data-testid=team-audit-entry]')")
            }
            try openDrawer(of: browser)
            try browser.auditDialog("confirm-dialog") {
                try browser.click("#teams-open")
                try browser.click("#teams-list button")
                try browser.wait("document.querySelector('#team-heading').textContent")
                let delete = "document.querySelector('[data-testid=team-delete]')"
                try browser.wait("\(delete)?.hidden === false")
                try browser.script("\(delete).closest('details').open = true")
                try browser.click("[data-testid=team-delete]")
            }
        }

        private func auditHold(
            of place: ConversationID,
            by ada: Peer,
            in browser: Browser
        ) throws {
            let hold = ConversationHoldRequest(conversation: place, hold: true, reason: "a lawsuit")
            _ = try ada.call(.conversationHold, hold, as: EmptyReply.self)
            try openDrawer(of: browser)
            try browser.auditDialog("hold-dialog") {
                try browser.choose("hold", of: place)
                try browser.wait(
                    "document.querySelector('[data-testid=hold-state]')?.textContent"
                        + ".includes('a lawsuit')"
                )
            }
            // It covers what is beside it.
            try browser.script("document.querySelector('#drawer-shade').click()")
            try browser.audit("administration, holds") {
                try browser.script("location.hash = 'administration/holds'")
                try browser.wait(
                    "document.querySelector('.administration table')?.textContent"
                        + ".includes('a lawsuit')"
                )
            }
        }

        private func auditDevice(of server: StoaServer, in browser: Browser) throws {
            try browser.auditDialog("device-dialog") {
                try browser.script("location.hash = 'device'")
                try browser.type("BBBB-BBBB\n", into: "#device-code")
                try browser.wait(
                    "document.querySelector('[data-testid=device-error]').textContent !== ''"
                )
            }
            let code = try server.beginDevice().userCode
            try browser.auditDialog("device-dialog") {
                try browser.script("location.hash = 'device'")
                try browser.type("\(code)\n", into: "#device-code")
                try browser.wait("document.querySelector('[data-testid=device-confirm]') !== null")
            }
        }

        private func auditModels(in browser: Browser) throws {
            let list = ".administration .model-rows"
            let second = "document.querySelector('\(list) [data-model-name=second]')"
            try browser.audit("models") {
                try browser.script("location.hash = 'administration/models'")
                try browser.wait("\(second)?.dataset.state === 'ready'")
                try browser.type("phi-4", into: ".administration [data-testid=model-name]")
                try browser.wait(
                    "document.querySelector('.administration [data-testid=model-memory]')"
                        + ".textContent.includes('phi-4 needs')"
                )
            }
            try browser.audit("unload a model") {
                try browser.click("\(list) [data-model-name=second] [data-testid=unload]")
                try browser.wait("\(Self.dialog)?.open")
            }
            try browser.audit("an unloaded model") {
                try browser.click("[data-testid=dialog-agree]")
                try browser.wait("\(second).dataset.state === 'unloaded'")
            }
            try browser.audit("a model loaded again") {
                try browser.click("\(list) [data-model-name=second] [data-testid=load]")
                try browser.wait("\(second).dataset.state === 'ready'")
            }
        }

        private func auditEngines(_ engine: EngineDouble, in browser: Browser) throws {
            let table = "document.querySelector('[data-testid=engines]')"
            try browser.audit("a new engine") {
                try browser.click("[data-testid=engine-new]")
                try browser.type(engine.base, into: "[data-testid=engine-url]")
                try browser.type("phi", into: "[data-testid=engine-model]")
                try browser.type("remote", into: "[data-testid=engine-name]")
                try browser.type("label=gpu1 slots=2 key=x\n", into: "[data-testid=engine-words]")
                try browser.wait(
                    "document.querySelector('[data-testid=dialog-error]').textContent"
                        + ".includes('key=')"
                )
            }
            try browser.audit("an engine") {
                try browser.script(
                    "document.querySelector('[data-testid=engine-words]').value = ''"
                )
                try browser.type("label=gpu1 slots=2\n", into: "[data-testid=engine-words]")
                try browser.wait("\(table).textContent.includes('gpu1')")
            }
            try browser.audit("a drained engine") {
                try browser.click("[data-testid=engine-drain]")
                try browser.wait("\(table).textContent.includes('draining')")
            }
            try browser.audit("remove an engine") {
                try browser.click("[data-testid=engine-remove]")
                try browser.wait("\(Self.dialog)?.open")
            }
            try browser.click("[data-testid=dialog-agree]")
            try browser.wait("\(table).textContent.includes('There are none.')")
        }

        private static let dialog =
            "document.querySelector('[data-testid=administration-dialog]')?.closest('dialog')"

        /// Opens the drawer of a phone, which has the list.
        private func openDrawer(of browser: Browser) throws {
            let button = "document.querySelector('#drawer-open')"
            if try browser.script(
                "return \(button).checkVisibility() && \(button).ariaExpanded !== 'true'"
            ) == true {
                try browser.click("#drawer-open")
                // A click on what still moves can meet what is beside it.
                try browser.wait("document.getAnimations().length === 0")
            }
        }
    }
}
