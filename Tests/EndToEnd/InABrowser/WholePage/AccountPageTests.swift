// The user's account on the page: devices, revoking them, and signing in again.

import ChatProtocol
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "The account on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada"])
    )
    struct TheAccountOnThePage {
        @Test("a device that is signed out elsewhere says so, keeps unsent text and continues")
        func revokedDevice() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let desk = try Browser(driver)
            let phone = try Browser(driver)
            try phone.signIn("ada", on: server)
            try phone.click("#new-conversation")
            let conversation = try phone.conversation()
            try phone.type("half a sentence", into: "#composer-text")
            try phone.script(Self.countSockets)

            try desk.signIn("ada", on: server)
            try desk.click("#account-open")
            // The desk itself, the phone, and the sign-in of the suite.
            let rows = "document.querySelectorAll('#sign-in-list li')"
            try desk.wait("\(rows).length >= 3")
            try desk.click("#end-other-sign-ins")
            try desk.wait("\(rows).length === 1")
            #expect(try desk.text("#sign-in-list").contains("This device"))
            #expect(try desk.text("#account-note").contains("other devices"))

            try phone.wait("document.querySelector('#sign-in-form').checkVisibility()")
            #expect(try phone.text("#sign-in-lead").contains("has ended"))
            // This server has no OpenID provider.
            #expect(
                try phone.script("return document.querySelector('#sign-in-other').hidden") == true
            )
            let name = try phone.script("return document.querySelector('#sign-in-name').value")
            #expect(name == "ada")
            try phone.type("\(server.password(of: "ada"))\n", into: "#sign-in-password")
            let connection = "document.querySelector('#connection-state').dataset.connection"
            try phone.wait("\(connection) === 'live'")
            #expect(
                try phone.script("return document.querySelector('#composer-text').value")
                    == "half a sentence"
            )
            #expect(try phone.conversation() == conversation)
            try phone.type("\n", into: "#composer-text")
            try phone.wait(Page.answer(1, is: "complete"))
            // It reconnected once, without failing attempts before.
            #expect(try phone.script("return window.sockets") == 1)
        }

        @Test("a file of another system is tried, then imported, and its conversations listed")
        func foreignFile() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#account-open")
            try browser.click("#transfer-part summary")
            try browser.click("#import-open")
            // For the driver, typing a path selects the file.
            try browser.type(ForeignFile.path("chatgpt.zip"), into: "#import-file")
            let first = "document.querySelector('#import-report li')?.textContent"
            try browser.wait("\(first)?.startsWith('Would be made: 2 conversations,')")
            let rows = "document.querySelectorAll('#conversation-list li').length"
            let count = try browser.script("return \(rows)").number ?? 0
            try browser.click("#import-start")
            try browser.wait("\(first)?.startsWith('Made: 2 conversations,')")
            let report = try browser.text("#import-report")
            #expect(report.contains("files that are no conversations"))
            try browser.wait("\(rows) >= \(count + 2)")
            #expect(try browser.complaints() == [])
        }

        @Test("a key is shown once, authenticates a program, and is revoked")
        func key() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            try browser.click("#new-conversation")
            let path = "/api/v1/conversations/\(try browser.conversation())/export?format=json"
            try browser.click("#account-open")
            try browser.click("#keys-part summary")
            try browser.type("backup\n", into: "#key-name")
            try browser.wait("document.querySelector('#key-secret').value")
            let secret = try browser.script("return document.querySelector('#key-secret').value")
            let headers: HTTPHeaders = [.authorization: "Bearer \(secret.text ?? "")"]
            #expect(try server.get(path, headers: headers).status == 200)
            try browser.click("#account-done")
            try browser.click("#account-open")
            #expect(try browser.script("return document.querySelector('#key-secret').value") == "")
            try browser.click("#keys-part summary")
            try browser.click("#key-list button")
            try browser.click("#confirm-yes")
            try browser.wait("document.querySelectorAll('#key-list li').length === 0")
            #expect(try server.get(path, headers: headers).status == 401)
            #expect(try browser.complaints() == [])
        }

        @Test("an account is deleted by its password, after saying what remains, on all devices")
        func deletion() throws {
            let server = try SharedServer.server()
            try server.addUser("cy")
            let driver = try BrowserDriver()
            let (desk, phone) = (try Browser(driver), try Browser(driver))
            for browser in [desk, phone] { try browser.signIn("cy", on: server) }
            try desk.click("#account-open")
            try desk.click("#account-delete-open")
            // The dialog fades in.
            let told = "document.querySelector('#account-delete-dialog').innerText"
            try desk.wait("\(told).includes('“deleted user”')")
            try desk.type("not that one\n", into: "#account-delete-password")
            try desk.wait("document.querySelector('#account-delete-error').textContent")
            let isOpen = "document.querySelector('#account-delete-dialog').open"
            #expect(try desk.script("return \(isOpen)") == true)
            try desk.script("document.querySelector('#account-delete-password').value = ''")
            let password = server.password(of: "cy")
            try desk.type("\(password)\n", into: "#account-delete-password")
            for browser in [desk, phone] {
                try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
            }
            #expect(try desk.text("#sign-in-lead") == "Your account is deleted.")
            #expect(throws: HarnessError.self) { _ = try server.signIn("cy") }
        }

        /// Counts the connections that the page opens from now on.
        private static let countSockets = """
            window.sockets = 0;
            window.WebSocket = new Proxy(WebSocket, {
                construct(target, fields) {
                    window.sockets += 1;
                    return new target(...fields);
                },
            });
            """
    }
}
