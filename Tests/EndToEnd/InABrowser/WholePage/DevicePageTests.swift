// Signing a terminal in by the code that it shows, on the page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "A terminal's code on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct DeviceOnThePage {
        private static func element(_ name: String) -> String { "[data-testid=\(name)]" }
        private static let toast = "document.querySelector('#toast').textContent"

        /// Types a code in the open dialog.
        private func enter(_ code: String, in browser: Browser) throws {
            try browser.script("document.querySelector('#device-code').value = ''")
            try browser.type("\(code)\n", into: "#device-code")
        }

        @Test("a user without a password signs a terminal in with their provider's account")
        func provider() throws {
            let provider = try OpenIDDouble()
            defer { provider.stop() }
            let server = try StoaServer([
                "--oidc-issuer", provider.issuer, "--oidc-client-id", "stoa",
                "--oidc-new-users", "on", "--public-url", "http://127.0.0.1",
            ])
            try server.addUser("root", isAdmin: true)
            let login = try WaitingLogin(server, device: "<b>tea</b> machine")
            #expect(login.link == "http://127.0.0.1/#device")

            let driver = try BrowserDriver()
            let browser = try Browser(driver)
            provider.sendBack(to: server.origin)
            try browser.open("\(server.origin)/#device")
            #expect(try browser.text("#sign-in-lead") == "Sign in to connect your terminal.")
            try browser.click("#sign-in-openid")
            try browser.wait("document.querySelector('#device-code')?.checkVisibility()")
            #expect(try browser.script("return location.hash") == "")
            try browser.wait(
                "document.querySelector('#connection-state').dataset.connection === 'live'"
            )

            try enter("BBBB-BBBB", in: browser)
            try browser.wait(
                "document.querySelector('\(Self.element("device-error"))').textContent"
                    + ".startsWith('No device waits')"
            )
            try enter(login.code.lowercased(), in: browser)
            try browser.wait("document.querySelector('\(Self.element("device-confirm"))')")
            let question = try browser.text(Self.element("device-question"))
            for part in ["<b>tea</b> machine", "127.0.0.1", "Refuse if somebody sent you the code"]
            {
                #expect(question.contains(part), "\(question)")
            }
            try browser.click(Self.element("device-confirm"))
            try browser.wait("\(Self.toast).startsWith('Signed in.')")
            let (end, output, _) = try login.end()
            #expect(end == .exited(0))
            #expect(output.hasPrefix("signed in as jane at "))
            let who = try server.command(["whoami", "--server", server.origin])
            #expect(who.output.hasPrefix("jane at "))

            try browser.click("#account-open")
            try browser.wait(
                "document.querySelector('#sign-in-list').textContent.includes('<b>tea</b> machine')"
            )
            #expect(try server.stop() == .exited(0))
        }

        @Test("a user refuses on the page, whose address asks for the code while it is open")
        func refusal() throws {
            let server = try StoaServer()
            try server.addUser("ada", isAdmin: true)
            let browser = try Browser(try BrowserDriver())
            try browser.signIn("ada", on: server)
            let login = try WaitingLogin(server, device: "laptop")
            #expect(login.link == "\(server.origin)/#device")
            try browser.script("location.hash = 'device'")
            try browser.wait("document.querySelector('#device-code')?.checkVisibility()")
            try enter(login.code, in: browser)
            try browser.click(Self.element("device-refuse"))
            try browser.wait("\(Self.toast).startsWith('Refused.')")
            try browser.wait("document.querySelector('#device-dialog') === null")
            let (end, _, failure) = try login.end()
            #expect(end == .exited(77) && failure == "stoa: the sign-in was refused")
            #expect(try browser.complaints().isEmpty)
            #expect(try server.stop() == .exited(0))
        }
    }
}
