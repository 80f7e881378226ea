// Client and server connections exchange messages in memory, with bytes split at random in both
// directions.

import HTTPProtocol
import TestSupport
import Testing

@Suite("A client and a server in memory")
struct ClientServerTests {
    /// Bytes of random length, uniform over powers of two.
    private func body(_ generator: inout SeededGenerator) -> [UInt8] {
        let countMax = 1 << Int.random(in: 0...14, using: &generator)
        return generator.bytes(Int.random(in: 0...countMax, using: &generator))
    }

    /// `body` as a sender writes it: whole, or in pieces with or without an announced length.
    private func parts(_ body: [UInt8], _ generator: inout SeededGenerator) -> [[UInt8]] {
        Delivery.randomChunks(seed: generator.next()).pieces(of: body)
    }

    @Test("bodies arrive as they were sent, both ways, on one connection", arguments: 1...20)
    func echo(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var client = HTTPClientConnection()
        var server = HTTPServerConnection()
        for _ in 0..<10 {
            let sent = body(&generator)
            var toServer = client.send(
                HTTPRequestHead(.post, "/echo", host: "h"),
                length: Bool.random(using: &generator) ? .unknown : .exactly(sent.count)
            )
            for part in parts(sent, &generator) { toServer += client.sendBody(part) }
            toServer += client.sendEnd()

            var received: [UInt8] = []
            var isComplete = false
            let delivery = Delivery.randomChunks(seed: generator.next())
            for piece in delivery.pieces(of: toServer) {
                for event in try server.events(after: piece) {
                    if case .body(let bytes) = event { received += bytes }
                    if event == .end { isComplete = true }
                }
            }
            #expect(isComplete)
            #expect(received == sent)

            var toClient = server.send(
                HTTPResponseHead(.ok),
                length: Bool.random(using: &generator) ? .unknown : .exactly(received.count)
            )
            for part in parts(received, &generator) { toClient += server.sendBody(part) }
            toClient += server.sendEnd()

            var returned: [UInt8] = []
            for piece in delivery.pieces(of: toClient) {
                for event in try client.events(after: piece) {
                    if case .body(let bytes) = event { returned += bytes }
                }
            }
            #expect(returned == sent)
            let isReady = client.isReadyForRequest
            #expect(isReady)
        }
    }

    @Test("a response before the end of the request ends the client's connection")
    func earlyResponse() throws {
        var client = HTTPClientConnection()
        var server = HTTPServerConnection()
        let head = HTTPRequestHead(.put, "/", host: "h")
        _ = try server.events(after: client.send(head, length: .exactly(1000)))
        let events = try client.events(after: server.send(HTTPResponseHead(.forbidden)))
        #expect(events.count == 2)
        #expect(client.sendBody([1]) == [])
        let shouldClose = client.shouldClose
        #expect(shouldClose)
    }
}
