// Limits per user and per address.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Limits per user", .serialized)
    struct BoundsTests {
        private func refused<Request, Reply>(
            _ peer: Peer,
            _ operation: Operation<Request, Reply>,
            _ body: some Encodable
        ) throws -> WireError? {
            guard case .failure(let error) = try peer.reply(to: peer.send(operation, body)) else {
                return nil
            }
            return error
        }

        @Test("questions, searches and exports over the rate limit are refused with a wait")
        func rates() throws {
            let server = try StoaServer([
                "--questions-per-minute", "2", "--searches-per-minute", "2",
                "--transfers-per-minute", "2",
            ])
            try server.addUser("ann")
            try server.addUser("bob")
            let token = try server.signIn("ann")
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            func send(_ key: String) -> MessageSendRequest {
                MessageSendRequest(conversation: conversation, key: key, text: "Hello!")
            }
            for key in ["1", "2"] { #expect(try refused(peer, .messageSend, send(key)) == nil) }
            let error = try #require(try refused(peer, .messageSend, send("3")))
            #expect(error.code == .rateLimited)
            #expect(error.message.contains("more than 2 questions in a minute"))
            #expect((0.1...30).contains(try #require(error.retryAfter)))
            #expect(try peer.messages(of: conversation).filter { $0.role == .user }.count == 2)

            // Each kind and each user is counted separately.
            let search = SearchRequest(query: "hello")
            for _ in 0..<2 { #expect(try refused(peer, .search, search) == nil) }
            #expect(try refused(peer, .search, search)?.code == .rateLimited)
            let bob = try server.connect(try server.signIn("bob"))
            #expect(try refused(bob, .search, search) == nil)
            let own: HTTPHeaders = [.authorization: "Bearer \(token)"]
            let target = "/api/v1/conversations/\(conversation)/export?format=text"
            for _ in 0..<2 { #expect(try server.get(target, headers: own).status == 200) }
            let answer = try server.get(target, headers: own)
            #expect(answer.status == 429)
            #expect(answer.head.headers["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        }

        @Test("a user at the connection limit can connect again when one has ended")
        func connections() throws {
            let server = try StoaServer(["--connections-per-user", "2"])
            try server.addUser("ann")
            try server.addUser("bob")
            let token = try server.signIn("ann")
            let first = try server.connect(token)
            let second = try server.connect(token)
            #expect(throws: (any Error).self) { try server.connect(token) }
            // A client that authenticates in its first frame gets an error reply.
            let late = try Peer(server)
            let request = AuthRequest(token: token)
            let error = try #require(try refused(late, .auth, request))
            #expect(error.code == .rateLimited)
            #expect(error.message.contains("more than 2 connections"))
            _ = try server.connect(try server.signIn("bob"))
            try first.close()
            _ = try server.connect(token)
            _ = second
        }
    }
}
