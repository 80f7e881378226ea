// The token budget on the page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "The allowance on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada"], administrator: "root", ["--max-tokens", "16"])
    )
    struct TheAllowanceOnThePage {
        private static let line = "document.querySelector('#allowance')"

        @Test("shows the remaining budget, warns when it is low, and says when it resets")
        func allowance() throws {
            let server = try SharedServer.server()
            let ada = try SharedServer.connect("ada")
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#new-conversation")
            for number in 1...4 {
                try browser.type("Tell me a long story.\n", into: "#composer-text")
                try browser.wait(
                    "\(Page.answer(number, is: "complete")) && !document.querySelector('.dots')"
                )
            }
            // Without a limit, only the answer's own charge is shown.
            #expect(try browser.script("return \(Self.line).hidden") == true)
            try browser.click("[data-role=\"assistant\"] [data-testid=\"show-receipt\"]")
            try browser.wait(
                "document.querySelector('#receipt-lead').textContent.includes('Charged: ')"
            )
            try browser.click("#receipt-dialog [data-close]")

            try limit(ada, to: 1_000_000)
            try browser.reload()
            try browser.wait("\(Self.line).checkVisibility() && \(Self.line).textContent")
            #expect(try browser.text("#allowance").hasSuffix("of 1,000,000 tokens left today"))
            #expect(try browser.script("return 'low' in \(Self.line).dataset") == false)

            // Almost nothing is left, which the page learns from an error.
            let used = try ada.call(.usageGet, as: UsageGetReply.self).day.used
            try limit(ada, to: used + 3)
            try browser.click("#new-conversation")
            try browser.type("What is 2 + 3?\n", into: "#composer-text")
            let problem = "document.querySelector('.message .problem')?.textContent"
            try browser.wait("\(problem)?.includes('You can ask again')")
            try browser.wait("'low' in \(Self.line).dataset")
            #expect(try browser.text("#allowance").contains("3 of "))
            #expect(try browser.text("#allowance").contains("More t"))
            let announced = try browser.script(
                "return document.querySelector('#announcer').textContent"
            )
            #expect(announced.text?.contains("tokens left today") == true)

            try limit(ada, to: 5)
            try browser.click("[data-testid=\"retry-message\"]")
            try browser.wait("\(problem)?.includes('more tokens than the whole limit')")
            try limit(ada, to: nil)
            try browser.click("[data-testid=\"retry-message\"]")
            try browser.wait(Page.answer(1, is: "complete"))
            #expect(try browser.complaints() == [])
        }

        private func limit(_ peer: Peer, to tokens: Int64?) throws {
            let users: UserListReply = try SharedServer.connect("root").call(
                .userList,
                UserListRequest(query: "ada")
            )
            let user = try #require(users.users.first).id
            let request = BudgetSetRequest(user: user, daily: tokens)
            _ = try SharedServer.connect("root").call(.budgetSet, request, as: EmptyReply.self)
        }
    }
}
