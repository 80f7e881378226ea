// Authentication over the wire.

import ChatProtocol
import HTTPProtocol
import Testing
import WebSocketProtocol

extension EndToEnd.OneServer {
    @Test("a WebSocket that does not authenticate is closed with 4100 after five seconds")
    func silentSocket() throws {
        let delay = try shortestDelay(below: .seconds(10)) { _ in
            let start = ContinuousClock.now
            let peer = try Peer(SharedServer.server())
            #expect(try peer.closeCode() == CloseCode.unauthenticated.rawValue)
            return ContinuousClock.now - start
        }
        #expect(delay > .seconds(4) && delay < .seconds(10))
    }

    @Test("the first frame can contain the token")
    func tokenInFirstFrame() throws {
        let peer = try Peer(SharedServer.server())
        let token = try #require(SharedServer.tokens["ada"])
        let reply: AuthReply = try peer.call(.auth, AuthRequest(token: token))
        #expect(reply.user.name == "ada")
        guard case .welcome(let welcome) = try peer.nextEvent() else {
            Issue.record("no welcome")
            return
        }
        #expect(welcome.user.name == "ada")
        #expect(welcome.models.first?.contextLength == 2048)
    }

    @Test("a wrong token, or another request first, closes with 4100")
    func wrongFirstFrame() throws {
        let wrong = try Peer(SharedServer.server())
        try wrong.send(.auth, AuthRequest(token: String(repeating: "0", count: 64)))
        #expect(try wrong.closeCode() == CloseCode.unauthenticated.rawValue)
        let early = try Peer(SharedServer.server())
        try early.send(.conversationList)
        #expect(try early.closeCode() == CloseCode.unauthenticated.rawValue)
    }

    @Test("a page of another site is refused with 403, with or without a cookie")
    func foreignOrigin() throws {
        let server = try SharedServer.server()
        let token = try #require(SharedServer.tokens["ada"])
        for headers: HTTPHeaders in [
            [.origin: "https://evil.example"],
            [.origin: "https://evil.example", .cookie: "stoa_session=\(token)"],
            [.origin: "null", .cookie: "stoa_session=\(token)"],
        ] {
            #expect(throws: WebSocketHandshakeError.refused(.forbidden)) {
                _ = try Peer(server, headers: headers)
            }
        }
        let own: HTTPHeaders = [.origin: server.origin, .cookie: "stoa_session=\(token)"]
        let peer = try Peer(server, headers: own)
        _ = try peer.call(.ping, as: PingReply.self)
        let request = SignInRequest(username: "ada", password: server.password(of: "ada"))
        let answer = try server.post(
            "/api/v1/session",
            request,
            headers: [.origin: "https://evil.example"]
        )
        #expect(answer.status == 403)
    }

    @Test("a wrong name and a wrong password get the same error")
    func wrongCredentials() throws {
        let server = try SharedServer.server()
        let answers = try [("ada", "wrong password"), ("nobody-here", "wrong password")].map {
            try server.post("/api/v1/session", SignInRequest(username: $0.0, password: $0.1))
        }
        #expect(answers.map(\.status) == [401, 401])
        let errors = try answers.map { try $0.decode(as: ErrorBody.self).error }
        #expect(errors[0] == errors[1])
        #expect(errors[0].code == .wrongCredentials)
    }

    @Test("the cookie is sent only to the server, and ends with the session")
    func signingOut() throws {
        let server = try SharedServer.server()
        let request = SignInRequest(username: "bo", password: server.password(of: "bo"))
        let answer = try server.post("/api/v1/session", request)
        let token = try answer.decode(as: SignInReply.self).token
        let cookie = try #require(answer.head.headers["Set-Cookie"])
        #expect(cookie.contains(token))
        #expect(cookie.contains("HttpOnly"))
        #expect(cookie.contains("SameSite="))
        let headers: HTTPHeaders = [.cookie: "stoa_session=\(token)"]
        #expect(try server.get("/api/v1/session", headers: headers).status == 200)
        let end = try HTTPCall.send(
            .delete,
            "/api/v1/session",
            port: server.port,
            headers: headers
        )
        #expect(end.status == 204)
        #expect(try server.get("/api/v1/session", headers: headers).status == 401)
        #expect(throws: WebSocketHandshakeError.self) { _ = try Peer(server, token: token) }
    }
}
