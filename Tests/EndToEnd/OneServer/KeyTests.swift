// API keys and passwords over the wire.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing
import WebSocketProtocol

extension EndToEnd.OneServer {
    private func makeKey(_ owner: Peer, _ scopes: [Scope]) throws -> KeyCreateReply {
        try owner.call(.keyCreate, KeyCreateRequest(name: "test", scopes: scopes))
    }

    @Test("a key permits its scopes, and nothing else, on every path")
    func scopes() throws {
        let server = try SharedServer.server()
        let owner = try connect("eli")
        let conversation = try owner.createConversation()
        let reader = try makeKey(owner, [.read])
        #expect(reader.secret.hasPrefix("stoa_"))
        let peer = try server.connect(reader.secret)
        let place = ConversationRequest(conversation: conversation)
        _ = try peer.call(.conversationGet, place, as: ConversationReply.self)
        let text = MessageSendRequest(conversation: conversation, key: "k", text: "Hello!")
        #expect(try peer.refusal(.messageSend, text) == .forbidden)
        #expect(try peer.refusal(.sessionList, EmptyRequest()) == .forbidden)
        let more = KeyCreateRequest(name: "more", scopes: [.read, .write])
        #expect(try peer.refusal(.keyCreate, more) == .forbidden)
        let headers: HTTPHeaders = [.authorization: "Bearer \(reader.secret)"]
        let path = "/api/v1/conversations/\(conversation)/export"
        #expect(try server.get(path, headers: headers).status == 200)

        let writer = try makeKey(owner, [.write, .account])
        let other: HTTPHeaders = [.authorization: "Bearer \(writer.secret)"]
        #expect(try server.get(path, headers: other).status == 403)
        #expect(throws: WebSocketHandshakeError.refused(.forbidden)) {
            _ = try Peer(server, token: writer.secret)
        }
        let first = try Peer(server)
        try first.send(.auth, AuthRequest(token: writer.secret))
        #expect(try first.closeCode() == CloseCode.unauthenticated.rawValue)
        // An ordinary user's key with all scopes is not an administrator's.
        let all = KeyCreateRequest(name: "all", scopes: Scope.allCases)
        #expect(try owner.refusal(.keyCreate, all) == .forbidden)
        let cookie: HTTPHeaders = [.cookie: "stoa_session=\(reader.secret)"]
        #expect(try server.get("/api/v1/session", headers: cookie).status == 401)
    }

    @Test("a revoked key's connection is closed with 4101 at once")
    func revokedKey() throws {
        let server = try SharedServer.server()
        let owner = try connect("eli")
        let made = try makeKey(owner, [.read])
        let peer = try server.connect(made.secret)
        let listed: KeyListReply = try owner.call(.keyList)
        #expect(listed.keys.contains { $0.id == made.key.id })
        _ = try owner.call(.keyRevoke, KeyRevokeRequest(key: made.key.id), as: EmptyReply.self)
        #expect(try peer.closeCode() == CloseCode.sessionEnded.rawValue)
        #expect(throws: WebSocketHandshakeError.self) { _ = try Peer(server, token: made.secret) }
    }

    @Test("a changed password ends the other sign-ins, and the old one is invalid")
    func changedPassword() throws {
        let server = try SharedServer.server()
        try server.addUser("sue")
        let own = try server.connect(server.signIn("sue"))
        let other = try server.connect(server.signIn("sue"))
        let old = server.password(of: "sue")
        let wrong = AccountPasswordRequest(old: "not the one", new: "battery staple")
        #expect(try own.refusal(.accountPassword, wrong) == .wrongCredentials)
        // Characters are counted, not bytes.
        for short in ["short", "🦉🦉🦉"] {
            let request = AccountPasswordRequest(old: old, new: short)
            #expect(try own.refusal(.accountPassword, request) == .badRequest)
        }
        let change = AccountPasswordRequest(old: old, new: "battery staple")
        _ = try own.call(.accountPassword, change, as: EmptyReply.self)
        #expect(try other.closeCode() == CloseCode.sessionEnded.rawValue)
        _ = try own.call(.ping, as: PingReply.self)
        let signIn = SignInRequest(username: "sue", password: old)
        #expect(try server.post("/api/v1/session", signIn).status == 401)
        let again = SignInRequest(username: "sue", password: "battery staple")
        #expect(try server.post("/api/v1/session", again).status == 200)
    }

    @Test("a reset link sets a password once, and ends all sign-ins")
    func reset() throws {
        let server = try SharedServer.server()
        try server.addUser("tom")
        let peer = try server.connect(server.signIn("tom"))
        let (end, output, _) = try server.command(
            ["user", "reset", "tom", "--data-dir", server.dataDirectory]
        )
        #expect(end == .exited(0))
        let link = try #require(output.split(separator: "\n").first)
        let token = try #require(link.split(separator: "=").last.map(String.init))
        let request = PasswordResetRequest(token: token, password: "battery staple")
        #expect(try server.post("/api/v1/reset", request).status == 204)
        #expect(try peer.closeCode() == CloseCode.sessionEnded.rawValue)
        #expect(try server.post("/api/v1/reset", request).status == 403)
        let again = SignInRequest(username: "tom", password: "battery staple")
        #expect(try server.post("/api/v1/session", again).status == 200)
        let (unknown, _, errors) = try server.command(
            ["user", "reset", "nobody", "--data-dir", server.dataDirectory]
        )
        #expect(unknown != .exited(0))
        #expect(errors.contains("no such user"))
    }

    @Test("each of many concurrent uses of a link gets a response", arguments: [30, 200])
    func concurrentResets(count: Int) throws {
        let server = try SharedServer.server()
        let name = "tim\(count)"
        try server.addUser(name)
        let (_, output, _) = try server.command(
            ["user", "reset", name, "--data-dir", server.dataDirectory]
        )
        let link = try #require(output.split(separator: "\n").first)
        let token = try #require(link.split(separator: "=").last.map(String.init))
        let body = try JSONEncoder().encode(
            PasswordResetRequest(token: token, password: "battery staple")
        )
        let head = """
            POST /api/v1/reset HTTP/1.1\r
            Host: 127.0.0.1\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        let deadline = Deadline(.patience)
        let sockets = try (0..<count).map { _ in try BlockingSocket(port: server.port) }
        for socket in sockets { try socket.send(Array(head.utf8) + body, deadline) }
        let statuses = try sockets.map { socket in
            String(decoding: try socket.receive(deadline).prefix(12), as: UTF8.self)
        }
        #expect(statuses.count(where: { $0 == "HTTP/1.1 204" }) == 1)
        #expect(statuses.count(where: { $0 == "HTTP/1.1 403" }) == count - 1, "\(statuses)")
    }

    @Test("after too many failures a user must wait, and the error says how long")
    func limits() throws {
        let server = try SharedServer.server()
        let wrong = SignInRequest(username: "nobody-at-all", password: "wrong password")
        // Five are free. The wait after the sixth is a second, in which a busy machine may still
        // process that one; it doubles with each.
        var statuses: [Int] = []
        while statuses.count < 12, statuses.last != 429 {
            let answer = try server.post("/api/v1/session", wrong)
            statuses.append(answer.status)
            if answer.status == 429 { #expect(answer.head.headers[.retryAfter] != nil) }
        }
        #expect(statuses.count > 6 && statuses.dropLast().allSatisfy { $0 == 401 }, "\(statuses)")
        #expect(statuses.last == 429)
    }
}
