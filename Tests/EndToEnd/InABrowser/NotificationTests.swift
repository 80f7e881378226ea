// Notifications of the browser: off at first, then for mentions and for answers of a hidden page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.InABrowser {
    @Suite(
        "Notifications",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct Notifications {
        /// Records the notifications that the page gives, and gives them.
        private static let recorder = """
            window.given = [];
            const Given = Notification;
            window.Notification = class extends Given {
                constructor(title, options) {
                    super(title, options);
                    window.given.push(`${title}: ${options.body}`);
                }
            };
            """

        private static func given(_ count: Int) -> String { "window.given.length === \(count)" }

        @Test("a hidden page notifies of a finished answer and of a mention, once it is asked to")
        func notifications() throws {
            let server = try SharedServer.server()
            let bo = try SharedServer.connect("bo")
            let tea = try bo.createConversation(title: "Tea")
            let add = MemberAddRequest(conversation: tea, user: "ada")
            _ = try bo.call(.memberAdd, add, as: MemberReply.self)
            let browser = try Browser(BrowserDriver())
            try browser.debug(
                "Browser.grantPermissions",
                ["origin": .string(server.origin), "permissions": ["notifications"]]
            )
            try browser.signIn("ada", on: server)
            try browser.script(Self.recorder)
            // Off at first.
            try browser.minimize()
            try ask("What is 2 + 3?", in: browser)
            try browser.wait(Page.answer(1, is: "complete"))
            #expect(try browser.script("return \(Self.given(0))") == true)

            try browser.script("document.querySelector('#account-open').click()")
            for name in ["notify", "showsText"] {
                let box = "document.querySelector('[data-testid=notices-\(name)]')"
                try browser.wait("\(box) && !\(box).disabled")
                try browser.script("\(box).click()")
                try browser.wait(
                    "\(box).checked && localStorage['stoa.notices'].includes('\(name)\":true')"
                )
            }
            try ask("What is 3 + 4?", in: browser)
            try browser.wait(Self.given(1))
            _ = try bo.say("@ada, the kettle is on.", in: tea)
            try browser.wait("window.given.some((notice) => notice.startsWith('Tea: '))")
            #expect(try browser.complaints() == [])
        }

        /// Asks as a user does, in a page that is hidden and so cannot be clicked.
        private func ask(_ text: String, in browser: Browser) throws {
            try browser.script(
                """
                const field = document.querySelector("#composer-text");
                field.value = arguments[0];
                field.dispatchEvent(new Event("input", { bubbles: true }));
                document.querySelector("#send").click();
                """,
                [.string(text)]
            )
        }
    }
}
