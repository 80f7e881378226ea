// The user's own sign-ins over the wire.

import ChatProtocol
import HTTPProtocol
import Testing
import WebSocketProtocol

extension EndToEnd.OneServer {
    @Test("a revoked device is closed with 4101 at once, and cannot reconnect")
    func revokedDevice() throws {
        let server = try SharedServer.server()
        let own = try connect("gus")
        let listed: SessionListReply = try own.call(.sessionList)
        #expect(listed.sessions.filter { $0.current == true }.count == 1)
        let delay = try shortestDelay(below: .seconds(1)) { _ in
            let lost = try server.signIn("gus")
            let phone = try server.connect(lost)
            let mine: SessionListReply = try phone.call(.sessionList)
            let session = try #require(mine.sessions.first { $0.current == true }?.id)
            let start = ContinuousClock.now
            _ = try own.call(
                .sessionRevoke,
                SessionRevokeRequest(session: session),
                as: EmptyReply.self
            )
            #expect(try phone.closeCode() == CloseCode.sessionEnded.rawValue)
            let delay = ContinuousClock.now - start
            #expect(throws: WebSocketHandshakeError.self) { _ = try Peer(server, token: lost) }
            let headers: HTTPHeaders = [.authorization: "Bearer \(lost)"]
            #expect(try server.get("/api/v1/session", headers: headers).status == 401)
            return delay
        }
        #expect(delay < .seconds(1))
        let stranger = try connect("hal")
        let others = try #require(listed.sessions.first { $0.current == true }?.id)
        let code = try stranger.refusal(.sessionRevoke, SessionRevokeRequest(session: others))
        #expect(code == .notFound)
    }

    @Test("all other devices are signed out together")
    func otherDevices() throws {
        let server = try SharedServer.server()
        try server.addUser("rex")
        let tokens = try (0..<3).map { _ in try server.signIn("rex") }
        let peers = try tokens.map { try server.connect($0) }
        let reply: SessionRevokeOthersReply = try peers[0].call(.sessionRevokeOthers)
        #expect(reply.ended == 2)
        for peer in peers.dropFirst() {
            #expect(try peer.closeCode() == CloseCode.sessionEnded.rawValue)
        }
        _ = try peers[0].call(.ping, as: PingReply.self)
    }

    @Test("signing in again in a browser ends its previous sign-in")
    func signingInAgain() throws {
        let server = try SharedServer.server()
        let old = try server.signIn("fay")
        let peer = try server.connect(old)
        let answer = try server.post(
            "/api/v1/session",
            SignInRequest(username: "fay", password: server.password(of: "fay")),
            headers: [.cookie: "stoa_session=\(old)"]
        )
        #expect(answer.status == 200)
        #expect(try peer.closeCode() == CloseCode.sessionEnded.rawValue)
        let token = try answer.decode(as: SignInReply.self).token
        _ = try server.connect(token)
    }
}
