// The page for everybody: axe-core in every main view, and what it cannot see: width, targets, themes.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "The page for everybody",
        .enabled(
            if: Axe.whatIsMissing == nil,
            "needs chromium, chromedriver and axe-core: make setup installs them"
        ),
        .server(users: ["bo"], administrator: "ada")
    )
    struct ThePageForEverybody {
        @Test("axe finds no fault in any view, in both themes, at a desk and on a phone")
        func noViolations() throws {
            let ada = try SharedServer.connect("ada")
            let team = TeamCreateRequest(key: "lab", name: "Lab")
            _ = try ada.call(.teamCreate, team, as: TeamReply.self)
            let driver = try BrowserDriver()
            let desk = try Browser(driver)
            try desk.audit("sign-in") { try openSignIn(in: desk) }
            try auditWorkspace(in: desk)

            let phone = try Browser(driver)
            try phone.emulatePhone(width: 390)
            try phone.audit("sign-in") { try openSignIn(in: phone) }
            try auditWorkspace(in: phone)
        }

        @Test("axe finds no fault in the administration, in dialogs of a row, and in shared pages")
        func noViolationsElsewhere() throws {
            let ada = try SharedServer.connect("ada")
            let creation = TeamCreateRequest(key: "kin", name: "Kin")
            let team = try ada.call(.teamCreate, creation, as: TeamReply.self).team.id
            let place = try ada.createConversation(title: "Bread")
            var mirror = try ada.watch(place)
            _ = try ada.ask("What is 2 + 3?", in: place, &mirror)
            let share = ShareCreateRequest(conversation: place)
            let link = try ada.call(.shareCreate, share, as: ShareReply.self).token
            let driver = try BrowserDriver()
            for isPhone in [false, true] {
                let browser = try Browser(driver)
                if isPhone { try browser.emulatePhone(width: 390) }
                let origin = try SharedServer.server().origin
                try browser.audit("shared page") {
                    try browser.open("\(origin)/#shared=\(link)")
                    try browser.wait("document.querySelector('#shared')?.dataset.state === 'live'")
                }
                try browser.open("about:blank")
                try browser.signIn("ada", on: SharedServer.server())
                try auditRow(of: place, in: browser)
                try auditAdministration(team: team, in: browser)
            }
        }

        @Test("at a width of 320 pixels nothing is cut off, and fingers find every button")
        func smallPhone() throws {
            let server = try SharedServer.server()
            let phone = try Browser(BrowserDriver())
            try phone.emulatePhone(width: 320)
            try phone.signIn("bo", on: server)
            try phone.type("Show me some code.\n", into: "#composer-text")
            try phone.wait(Page.answer(1, is: "complete"))
            // A message that appears is a little smaller at first.
            try phone.wait("document.getAnimations().length === 0")
            #expect(try phone.script(Self.tooWide).elements == [])
            #expect(try phone.script(Self.tooSmall).elements == [])
            try phone.click("#drawer-open")
            try phone.wait("document.getAnimations().length === 0")
            #expect(try phone.script(Self.tooWide).elements == [])
            #expect(try phone.script(Self.tooSmall).elements == [])
        }

        @Test("a theme is chosen for this device, and a reload keeps it from the first paint on")
        func theme() throws {
            let browser = try Browser(BrowserDriver())
            try browser.signIn("bo", on: SharedServer.server())
            try browser.click("#account-open")
            try browser.click("#appearance-part summary")
            try browser.click("#appearance-part input[value=dark]")
            try browser.click("#appearance-part input[value=compact]")
            let ground = "getComputedStyle(document.body).backgroundColor"
            try browser.wait("\(ground) === 'rgb(18, 18, 20)'")
            // Without the page's modules: what is applied before the first paint.
            try browser.debug("Network.enable", [:])
            try browser.debug("Network.setBlockedURLs", ["urls": ["*/assets/main-*.js"]])
            try browser.reload()
            #expect(try browser.script("return \(ground)") == "rgb(18, 18, 20)")
            let density = "return document.documentElement.dataset.density"
            #expect(try browser.script(density) == "compact")
        }

        private func openSignIn(in browser: Browser) throws {
            try browser.open(SharedServer.server().origin)
            try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
        }

        /// Opens the main views one after the other.
        private func auditWorkspace(in browser: Browser) throws {
            try browser.audit("empty workspace") {
                try browser.signIn("ada", on: SharedServer.server())
                try browser.wait("document.querySelector('#welcome').checkVisibility()")
            }
            try browser.audit("conversation") {
                try browser.type("Show me some code.\n", into: "#composer-text")
                try browser.wait(Page.answer(1, is: "complete"))
            }
            try browser.audit("focused message") {
                try browser.script("document.querySelector('#composer-text').focus()")
                try browser.type("\u{E013}", into: "#composer-text")
                try browser.wait("document.activeElement.matches('.message')")
            }
            try browser.audit("menu") { try browser.click("#conversation-menu-button") }
            for name in ["settings", "invite", "export"] {
                try browser.auditDialog("\(name)-dialog") {
                    try showMenu(of: browser)
                    try browser.click("#menu-\(name)")
                }
            }
            try browser.auditDialog("confirm-dialog") {
                try showMenu(of: browser)
                try browser.click("#menu-delete")
            }
            try browser.auditDialog("receipt-dialog") {
                try browser.click("[data-testid=show-receipt]")
                try browser.wait("document.querySelector('#receipt-rows').children.length > 0")
            }
            for name in ["palette", "shortcuts"] {
                try browser.auditDialog("\(name)-dialog") {
                    let key = name == "palette" ? "k" : "/"
                    try browser.script(
                        """
                        document.dispatchEvent(new KeyboardEvent(
                            "keydown", { key: arguments[0], ctrlKey: true }));
                        """,
                        [.string(key)]
                    )
                    try browser.wait("document.querySelector('#\(name)-dialog[open]')")
                }
            }
            try auditFootDialogs(in: browser)
        }

        /// The dialogs of the list's foot, which is in the drawer of a phone.
        private func auditFootDialogs(in browser: Browser) throws {
            let drawer = "document.querySelector('#drawer-open')"
            if try browser.script("return \(drawer).checkVisibility()") == true {
                try browser.audit("drawer") { try browser.click("#drawer-open") }
            }
            try browser.auditDialog("models-dialog") { try browser.click("#models-open") }
            try browser.auditDialog("account-dialog") { try browser.click("#account-open") }
            try browser.auditDialog("account-delete-dialog") {
                try browser.click("#account-open")
                try browser.click("#account-delete-open")
            }
            let rows = "document.querySelectorAll('#teams-list button')"
            try browser.auditDialog("teams-dialog") {
                try browser.click("#teams-open")
                try browser.wait("\(rows).length > 0")
            }
            try browser.auditDialog("team-dialog") {
                try browser.click("#teams-open")
                try browser.wait("\(rows).length > 0")
                try browser.click("#teams-list button")
                try browser.wait("document.querySelector('#team-heading').textContent")
            }
        }

        /// The dialogs that the menu of a conversation's row opens.
        private func auditRow(of place: ConversationID, in browser: Browser) throws {
            try browser.wait("document.querySelector('\(Page.listRow(of: place))') !== null")
            let drawer = "document.querySelector('#drawer-open')"
            if try browser.script("return \(drawer).checkVisibility()") == true {
                try browser.click("#drawer-open")
                // A click on what still moves can meet what is beside it.
                try browser.wait("document.getAnimations().length === 0")
            }
            for name in ["share", "organise", "move", "hold"] {
                try browser.auditDialog("\(name)-dialog") { try browser.choose(name, of: place) }
            }
        }

        private func auditAdministration(team: TeamID, in browser: Browser) throws {
            let sections = [
                "overview", "users", "teams", "usage", "runs", "models", "audit", "holds",
            ]
            for section in sections + ["users/ada", "teams/\(team)"] {
                try browser.audit("administration, \(section)") {
                    try browser.script(
                        "location.hash = arguments[0]",
                        [.string("#administration/\(section)")]
                    )
                    try browser.wait(Self.isShown(section))
                }
            }
        }

        /// Whether the section is there, with what its requests brought.
        private static func isShown(_ section: String) -> String {
            let name = section.prefix { $0 != "/" }
            return """
                document.querySelector(".administration-section[data-testid='\(name)']")
                    ?.checkVisibility()
                    && location.hash === "#administration/\(section)"
                    && document.querySelector("[data-testid='administration-title']").textContent
                    && document.querySelector(".administration-section").children.length > 0
                """
        }

        private func showMenu(of browser: Browser) throws {
            let menu = "document.querySelector('#conversation-menu')"
            if try browser.script("return \(menu).hidden") == true {
                try browser.click("#conversation-menu-button")
            }
        }

        /// The visible elements that reach beyond the window's right edge, scrolled boxes aside.
        private static let tooWide = """
            const isScrolled = (node) => node.parentElement?.closest("pre, .table-box");
            return [...document.querySelectorAll("#workspace *")]
                .filter((node) => node.checkVisibility({ visibilityProperty: true })
                    && !isScrolled(node) && !node.closest(".visually-hidden, svg")
                    && node.getBoundingClientRect().right > innerWidth + 1)
                .map((node) => `${node.tagName} ${node.id} ${node.className}`);
            """

        /// The visible buttons that are smaller than 44 pixels.
        private static let tooSmall = """
            return [...document.querySelectorAll("#workspace :is(button, select, textarea, input)")]
                .filter((node) => node.checkVisibility({ visibilityProperty: true })
                    && !node.matches(".skip, .drawer-shade") && !node.closest(".visually-hidden"))
                .map((node) => ({ node, box: node.getBoundingClientRect() }))
                .filter(({ box }) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
                .map(({ node, box }) => `${node.id || node.className} ${box.width} x ${box.height}`);
            """
    }
}
