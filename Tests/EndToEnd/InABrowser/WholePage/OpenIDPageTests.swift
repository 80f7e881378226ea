// Signing in on the page with an OpenID provider, a test double beside the server.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "OpenID Connect on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct OpenIDOnThePage {
        private static let button = "#sign-in-openid"
        private static let problem = "document.querySelector('#sign-in-error').textContent"

        @Test("the provider's button signs in and returns to the page; a failure is explained")
        func signingIn() throws {
            let provider = try OpenIDDouble()
            defer { provider.stop() }
            let server = try StoaServer([
                "--oidc-issuer", provider.issuer, "--oidc-client-id", "stoa",
                "--oidc-new-users", "on", "--public-url", "http://127.0.0.1",
            ])
            try server.addUser("root", isAdmin: true)
            let driver = try BrowserDriver()
            let browser = try Browser(driver)
            try browser.open(server.origin)
            try browser.wait("document.querySelector('\(Self.button)').checkVisibility()")
            #expect(try browser.text(Self.button) == "Sign in with 127.0.0.1")

            // The provider's token may be invalid, and its user may have no account.
            typealias Answer = OpenIDDouble.Answer
            let taken = Answer {
                $0["sub"] = "another"
                $0["preferred_username"] = "root"
            }
            for (answer, sentence) in [
                (Answer(isForged: true), "did not sign you in"), (taken, "no account"),
            ] {
                provider.sendBack(to: server.origin, with: answer)
                try browser.click(Self.button)
                try browser.wait("\(Self.problem).includes('\(sentence)')")
                #expect(try browser.script("return location.hash") == "")
            }

            provider.sendBack(to: server.origin)
            try browser.click(Self.button)
            try browser.wait("document.querySelector('#user-name').checkVisibility()")
            #expect(try browser.text("#user-name") == "jane")
            #expect(provider.hasProvedItself)
            try browser.click("#new-conversation")
            let conversation = try browser.conversation()

            let second = try Browser(driver)
            try second.open("\(server.origin)/#conversation=\(conversation)")
            try second.click(Self.button)
            try second.wait("document.querySelector('#user-name').checkVisibility()")
            #expect(try second.conversation() == conversation)

            // No sign-in was started in this browser.
            let third = try Browser(driver)
            try third.open("\(server.origin)/api/v1/openid/callback?code=abc&state=none")
            try third.wait("\(Self.problem).includes('took too long')")
        }
    }
}
