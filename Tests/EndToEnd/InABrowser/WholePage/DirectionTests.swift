// Characters that override text direction in names and messages: after U+202E "gnp.exe" looks like
// "exe.png". The page, the terminal and exports for people show text without them; stored text and
// formats for programs keep them.

import ChatProtocol
import HTTPProtocol
import Postgres
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite("Text direction")
    struct DirectionTests {
        private static let title = "\u{202E}gnp.exe"
        private static let question = """
            Open \u{202E}gnp.exe\u{202C} or \u{2066}this\u{2069}: `a\u{202E}b`

            ```c
            if (isAdmin) /*\u{202E} } \u{2066}*/ {
            ```
            """

        private static func hasMarks(_ text: String) -> Bool {
            text.unicodeScalars.contains(where: DirectionMarks.contains)
        }

        /// A server with a conversation of that title and that question.
        private func scene() throws -> (server: StoaServer, conversation: ConversationID) {
            let server = try StoaServer()
            try server.addUser("ann")
            let peer = try server.connect(try server.signIn("ann"))
            let conversation = try peer.createConversation(title: Self.title)
            var mirror = try peer.watch(conversation)
            let answer = try peer.say(Self.question, in: conversation).answer.id
            try peer.follow(&mirror, until: answer)
            // No model can be made to say this, so its answer is replaced.
            _ = try server.database().query(
                "UPDATE messages SET body = $1 WHERE id = $2 RETURNING 1",
                [.text(Self.question), .uuid(answer.uuid)]
            )
            return (server, conversation)
        }

        @Test(
            "the page shows no overridden text, and code shows the characters",
            .enabled(
                if: BrowserDriver.whatIsMissing == nil,
                "needs chromium and chromedriver: make setup installs them"
            )
        )
        func page() throws {
            let (server, conversation) = try scene()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ann", on: server)
            try browser.open("\(server.origin)/#conversation=\(conversation)")
            try browser.wait("document.querySelectorAll('#messages > li').length >= 2")
            #expect(try browser.text("#conversation-title") == "gnp.exe")
            #expect(try browser.text("[data-testid=\"conversation-row\"] .title") == "gnp.exe")
            let shown = try browser.script(
                """
                const read = ["title", "aria-label", "alt", "placeholder"];
                return document.title + document.documentElement.textContent
                    + [...document.querySelectorAll("*")].flatMap((node) =>
                        read.map((name) => node.getAttribute(name) ?? "")).join("")
                """
            ).text
            #expect(!Self.hasMarks(try #require(shown)))
            let code = try browser.script(
                "return [...document.querySelectorAll('#messages code')].map((node) => node.textContent)"
            ).elements.compactMap(\.text)
            #expect(code.first == "a‹U+202E›b")
            #expect(code.contains { $0.contains("/*‹U+202E› } ‹U+2066›*/ {") })
            // A name is laid out from its own first letter, whatever the language around it.
            let style =
                "getComputedStyle(document.querySelector('#conversation-title')).unicodeBidi"
            #expect(try browser.script("return \(style)") == .string("plaintext"))
            #expect(try server.stored(browser).first?.text == Self.question)
        }

        @Test("the terminal shows no overridden text, and a program reads all of it")
        func terminal() throws {
            let (server, _) = try scene()
            let arguments = [
                "chat", "--server", server.origin, "--user", "ann", "--password-stdin",
            ]
            let chat = try server.command(
                arguments,
                input: "\(server.password(of: "ann"))\n/list\n/search gnp\n"
            )
            #expect(chat.errors.contains("gnp.exe"), "\(chat.errors)")
            #expect(!Self.hasMarks(chat.output + chat.errors))
        }

        @Test("exports for people contain no overrides, and the others contain everything")
        func exports() throws {
            let (server, conversation) = try scene()
            let token = try server.signIn("ann")
            for format in ["markdown", "html", "text", "openai", "sharegpt", "stoa"] {
                let text = try HTTPCall.send(
                    .get,
                    "/api/v1/conversations/\(conversation)/export?format=\(format)",
                    port: server.port,
                    headers: [.authorization: "Bearer \(token)"]
                ).text
                #expect(!Self.hasMarks(text), "\(format)")
                switch format {
                case "markdown": #expect(text.contains(#"title: "\u202egnp.exe""#))
                case "openai", "sharegpt", "stoa":
                    #expect(text.contains(#"Open \u202egnp.exe\u202c"#))
                default: #expect(text.contains("gnp.exe"))
                }
            }
        }
    }
}
