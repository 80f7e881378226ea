import TestSupport
import Testing
import WebSocketProtocol

@Suite("The close handshake")
struct ClosingTests {
    /// Which of the two questions about its end a connection answers with yes.
    private func state(_ connection: borrowing WebSocketConnection) -> String {
        connection.isOpen ? "open" : connection.isClosed ? "closed" : "closing"
    }

    @Test("a close by the peer is answered with its code, and nothing is sent after it")
    func peerFirst() throws {
        var server = WebSocketConnection(role: .server)
        let events = try server.events(after: clientFrame(.close, [0x03, 0xE9]))
        #expect(events == [.close(.goingAway, reason: "")])
        #expect(state(server) == "closing")
        #expect(server.send(text: "late") == [])
        #expect(server.sendPing() == [])
        #expect(server.sendClose(.goingAway) == [0x88, 0x02, 0x03, 0xE9])
        #expect(state(server) == "closed")
        #expect(server.sendClose(.normal) == [])
        #expect(try server.events(after: clientFrame(.text, "late")) == [])
    }

    @Test("after our close, messages in transit arrive until the peer's close frame")
    func weFirst() throws {
        var server = WebSocketConnection(role: .server)
        let close = server.sendClose(.serviceRestart, reason: "restart")
        #expect(close == [0x88, 0x09, 0x03, 0xF4] + Array("restart".utf8))
        #expect(state(server) == "closing")
        #expect(server.send(binary: [1]) == [])
        #expect(server.sendPong() == [])
        #expect(try server.events(after: clientFrame(.text, "sent before")).count == 1)
        let events = try server.events(after: clientFrame(.close, [0x03, 0xF4]))
        #expect(events == [.close(.serviceRestart, reason: "")])
        #expect(state(server) == "closed")
        #expect(server.sendClose(.serviceRestart) == [])
    }

    @Test("both close at once")
    func crossing() throws {
        var client = WebSocketConnection(role: .client)
        var server = WebSocketConnection(role: .server)
        let fromClient = client.sendClose(nil)
        let fromServer = server.sendClose(.normal)
        #expect(try client.events(after: fromServer) == [.close(.normal, reason: "")])
        #expect(try server.events(after: fromClient) == [.close(nil, reason: "")])
        #expect(state(client) == "closed" && state(server) == "closed")
    }

    @Test("an error is reported once, and later bytes are dropped")
    func failure() {
        var server = WebSocketConnection(role: .server)
        #expect(throws: WebSocketError.unmaskedFrame) { try server.events(after: [0x81, 0x01]) }
        #expect(state(server) == "closing")
        #expect(server.send(text: "x") == [])
        let close = server.sendClose(for: .unmaskedFrame)
        #expect(close == [0x88, 20, 0x03, 0xEA] + Array("frame without mask".utf8))
        #expect(state(server) == "closed")
        #expect(server.sendClose(for: .unmaskedFrame) == [])
        #expect(throws: Never.self) { try server.events(after: [0x81, 0x01, 0xFF]) }
    }

    @Test("an error after our close sends nothing more")
    func failureWhileClosing() {
        var server = WebSocketConnection(role: .server)
        _ = server.sendClose(.normal)
        #expect(throws: WebSocketError.unknownOpcode) { try server.events(after: [0x83]) }
        #expect(server.sendClose(for: .unknownOpcode) == [])
        #expect(state(server) == "closed")
    }

    @Test("a long reason is truncated at a character boundary")
    func longReason() throws {
        var server = WebSocketConnection(role: .server)
        var client = WebSocketConnection(role: .client)
        let reason = String(repeating: "\u{20AC}", count: 50)
        let events = try client.events(after: server.sendClose(.normal, reason: reason))
        #expect(events == [.close(.normal, reason: String(repeating: "\u{20AC}", count: 41))])
    }
}
