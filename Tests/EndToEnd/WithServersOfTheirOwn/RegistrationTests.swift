// Creating accounts, and sign-in by a proxy's header.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Registration")
    struct Registration {
        @Test(
            "invited users create one ordinary account each, and the header is trusted from the proxy only"
        )
        func invitationsAndProxies() throws {
            let server = try StoaServer([
                "--registration", "invite", "--sign-in-header", "X-Remote-User",
                "--sign-in-header-from", "127.0.0.1", "--sign-in-header-new-users", "on",
            ])
            try server.addUser("root", isAdmin: true)
            let (end, output, _) = try server.command(
                [
                    "user", "invite", "--registration", "invite", "--data-dir",
                    server.dataDirectory,
                ]
            )
            #expect(end == .exited(0))
            let link = try #require(output.split(separator: "\n").first)
            let token = try #require(link.split(separator: "=").last.map(String.init))
            let request = SignUpRequest(token: token, username: "ann", password: "correct horse")
            let answer = try server.post("/api/v1/sign-up", request)
            #expect(answer.status == 200)
            #expect(try answer.decode(as: SignInReply.self).user.isAdmin == false)
            let again = SignUpRequest(token: token, username: "eve", password: "correct horse")
            #expect(try server.post("/api/v1/sign-up", again).status == 403)

            let named: HTTPHeaders = ["X-Remote-User": "Zoe"]
            let proxied = try server.get("/api/v1/session", headers: named)
            #expect(proxied.status == 200)
            let zoe = try proxied.decode(as: SignInReply.self)
            #expect(zoe.user.name == "Zoe")
            #expect(zoe.user.isAdmin == false)
            // Her cookie is not valid for the next user that the proxy names.
            let mixed: HTTPHeaders = [
                "X-Remote-User": "ann", .cookie: "stoa_session=\(zoe.token)",
            ]
            let other = try server.get("/api/v1/session", headers: mixed)
            #expect(try other.decode(as: SignInReply.self).user.name == "ann")
            for bad in ["", "a b", "Zoe, ann"] {
                let headers: HTTPHeaders = ["X-Remote-User": bad]
                #expect(try server.get("/api/v1/session", headers: headers).status == 400)
            }
            #expect(try server.stop() == .exited(0))
        }

        @Test(
            "the header is refused from other clients, and registration is closed by default"
        )
        func refusals() throws {
            let server = try StoaServer([
                "--sign-in-header", "X-Remote-User", "--sign-in-header-from", "192.0.2.1",
            ])
            try server.addUser("root", isAdmin: true)
            let named: HTTPHeaders = ["X-Remote-User": "root"]
            #expect(try server.get("/api/v1/session", headers: named).status == 403)
            #expect(try server.get("/api/v1/session").status == 401)
            let (end, _, errors) = try server.command(
                ["user", "invite", "--data-dir", server.dataDirectory]
            )
            #expect(end != .exited(0))
            #expect(errors.contains("registration"))
            let request = SignUpRequest(
                token: String(repeating: "0", count: 64),
                username: "eve",
                password: "correct horse"
            )
            #expect(try server.post("/api/v1/sign-up", request).status == 403)
            #expect(try server.stop() == .exited(0))
        }
    }
}
