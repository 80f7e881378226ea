// Mutated and random bytes through both parsers. For every input: no crash, no more output than
// input, errors of one type, and the same result for every split of the bytes.

import HTTPProtocol
import TestSupport
import Testing

@Suite("Fuzzing")
struct ParserFuzzTests {
    static let inputCount = 20_000

    static let requests: [[UInt8]] = [
        "GET / HTTP/1.1\nHost: h\n\n",
        "POST /a?b=c HTTP/1.1\nHost: h\nContent-Length: 5\n\nhelloGET /2 HTTP/1.1\nHost: h\n\n",
        "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n5;x=y\nhello\n0\nA: b\n\n",
        "GET http://h/ HTTP/1.0\nConnection: keep-alive\n\n",
        "PUT / HTTP/1.1\nHost: h\nExpect: 100-continue\nContent-Length: 3\n\nabc",
        "GET /ws HTTP/1.1\nHost: h\nConnection: Upgrade\nUpgrade: websocket\n\nframes",
    ].map(wire)

    static let responses: [[UInt8]] = [
        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n",
        "HTTP/1.1 100 Continue\n\nHTTP/1.0 404 Not Found\nConnection: close\n\nuntil the end",
        "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\nframes",
    ].map(wire)

    private func input(_ seeds: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
        guard let seed = seeds.randomElement(using: &generator), generator.next() % 16 != 0 else {
            return generator.bytes(Int.random(in: 0...64, using: &generator))
        }
        return generator.mutate(seed)
    }

    @Test("no request crashes the server's side")
    func server() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<Self.inputCount {
            let bytes = input(Self.requests, &generator)
            let delivery = Delivery.randomChunks(seed: generator.next())
            let whole = ServerTranscript(bytes, thenEnd: true)
            let cut = ServerTranscript(bytes, delivery, thenEnd: true)
            let bodyByteCount = whole.bodies.reduce(0) { $0 + $1.utf8.count }
            #expect(bodyByteCount <= bytes.count * 3, "\(bytes)")  // U+FFFD has three bytes
            // After an upgrade the rest belongs to another protocol, in whichever read it came.
            if !whole.events.contains(where: { if case .upgrade = $0 { true } else { false } }) {
                #expect(whole == cut, "\(bytes)")
            }
        }
    }

    @Test("no response crashes the client's side")
    func client() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<Self.inputCount {
            let bytes = input(Self.responses, &generator)
            let delivery = Delivery.randomChunks(seed: generator.next())
            let whole = ClientTranscript(bytes, thenEnd: true)
            let cut = ClientTranscript(bytes, delivery, thenEnd: true)
            if !whole.events.contains(where: { if case .upgrade = $0 { true } else { false } }) {
                #expect(whole.events == cut.events, "\(bytes)")
                #expect(whole.error == cut.error, "\(bytes)")
            }
        }
    }
}
