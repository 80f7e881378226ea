// The thinking part of a reasoning model's answers on the page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Thinking parts on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct ThinkingOnThePage {
        private static let part = "#messages [data-role=assistant] [data-testid=thinking]"

        /// An expression on the last answer's part.
        private static func last(_ expression: String) -> String {
            "[...document.querySelectorAll('\(part)')].at(-1).\(expression)"
        }

        @Test("a part is folded above its answer, says how long it took, and opens while it grows")
        func folded() throws {
            let folder = try TemporaryFolder()
            let server = try StoaServer(
                ["--model", try ThinkingModel.make(in: folder.path, as: "thinker")]
                    + ["--titles", "off", "--threads", "1"],
                environment: ["STOA_KERNELS": "scalar"]
            )
            try server.addUser("ada")
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.type("\(ThinkingModel.question)\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            let answer = "#messages [data-role=assistant] [data-testid=message-text]"
            #expect(try browser.text(answer).hasPrefix(ThinkingModel.answer.start))
            let summary = "\(Self.part) [data-testid=thinking-summary]"
            try browser.wait(
                "document.querySelector('\(summary)')?.textContent.includes('Thought for ')"
            )
            try browser.wait("!\(Self.last("open"))")
            try browser.click(summary)
            let thought = "\(Self.part) [data-testid=thinking-text]"
            try browser.wait("document.querySelector('\(thought)').checkVisibility()")
            #expect(try browser.text(thought).hasPrefix("upon a time"))

            // Opened while it grows, the next one opens by itself, and is folded at its end.
            try browser.script(
                """
                const observer = new MutationObserver(() => {
                    const part = [...document.querySelectorAll('\(Self.part).is-growing')].at(-1);
                    if (!part) return;
                    observer.disconnect();
                    part.querySelector("summary").click();
                });
                observer.observe(document, { subtree: true, childList: true, attributes: true });
                """
            )
            try browser.type("\(ThinkingModel.question)\n", into: "#composer-text")
            try browser.wait("localStorage.getItem('stoa.thinking.open') === 'yes'")
            try browser.wait(Page.answer(2, is: "complete"))
            // What the user opened stays open.
            try browser.wait(Self.last("open"))
            try browser.type("\(ThinkingModel.question)\n", into: "#composer-text")
            try browser.wait(
                "\(Self.last("classList.contains('is-growing')")) && \(Self.last("open"))"
                    + " && \(Self.last("textContent")).includes('Thinking')"
            )
            try browser.wait(Page.answer(3, is: "complete"))
            try browser.wait("!\(Self.last("open"))")

            // After a reload they are as the server tells them.
            try browser.reload()
            try browser.wait(Page.answer(3, is: "complete"))
            try browser.wait(
                "document.querySelector('\(summary)')?.textContent.includes('Thought for ')"
            )
            try browser.wait("!\(Self.last("open"))")
            #expect(try browser.complaints().isEmpty)
            withExtendedLifetime(folder) {}
        }
    }
}
