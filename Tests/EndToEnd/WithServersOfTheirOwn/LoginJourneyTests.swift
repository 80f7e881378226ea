// Recorded sessions of `stoa login` where users sign in with an OpenID provider.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Recorded sign-ins with a provider")
    struct LoginJourneys {
        @Test(
            "stoa login shows a link and a code by itself where users sign in with a provider",
            .disabled(if: TerminalWindow.isMissing, "needs tmux: make setup installs it")
        )
        func recordedLogin() throws {
            let provider = try OpenIDDouble()
            defer { provider.stop() }
            let server = try StoaServer([
                "--oidc-issuer", provider.issuer, "--oidc-client-id", "stoa", "--public-url",
                "http://127.0.0.1",
            ])
            try server.addUser("ada", isAdmin: true)
            let peer = try server.connect(try server.signIn("ada"))
            let waiting = """
                This server signs in with 127.0.0.1. (With a password: --user NAME.)
                Open this page in a browser, on any device:
                    http://127.0.0.1/#device
                and enter this code there:
                    {code}
                It is valid for 10 minutes. Waiting for you to confirm it there …
                """
            for (isConfirmed, end) in [
                (true, "signed in as ada at {origin} (mine)\nexit 0"),
                (false, "stoa: the sign-in was refused\nexit 77"),
            ] {
                let command = ["login", server.origin, "--profile", "mine"]
                let window = try TerminalWindow(server, command)
                let lines = try window.wait("a code") { lines in
                    lines.contains { $0.hasPrefix("It is valid") }
                }
                let code = lines[4].drop { $0 == " " }
                let values = ["code": String(code), "origin": server.origin]
                try window.wait(for: waiting, values)
                let answer = DeviceAnswerRequest(userCode: String(code), isConfirmed: isConfirmed)
                _ = try peer.call(.deviceAnswer, answer, as: EmptyReply.self)
                try window.wait(for: "\(waiting)\n\(end)", values)
            }
            // A chat has no time to wait for a browser.
            let chat = try TerminalWindow(
                server,
                ["chat", "--server", server.origin],
                environment: ["XDG_CONFIG_HOME": "/nonexistent"],
                columns: 120
            )
            try chat.wait(
                for: """
                    stoa: this server signs in with 127.0.0.1: run stoa login {origin}, or give --user
                    exit 77
                    """,
                ["origin": server.origin]
            )
            // With a name it asks for the password, as before.
            let window = try TerminalWindow(server, ["login", server.origin, "--user", "ada"])
            try window.wait(for: "Password of ada:")
            #expect(try server.stop() == .exited(0))
        }
    }
}
