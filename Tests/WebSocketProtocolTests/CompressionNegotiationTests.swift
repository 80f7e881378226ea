// Offers and responses of RFC 7692 section 7.1.

import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

@Suite("Compression negotiation")
struct CompressionNegotiationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var offer: String
        /// The parameters of the response; nil if no offer is accepted.
        var answer: String?
        var wanted = PerMessageDeflate()
        var testDescription: String { offer }

        /// Both texts follow the extension's name.
        init(_ offer: String, _ answer: String?, _ wanted: PerMessageDeflate = .init()) {
            self.offer = "permessage-deflate\(offer)"
            self.answer = answer.map { "permessage-deflate\($0)" }
            self.wanted = wanted
        }
    }

    private static let narrow = PerMessageDeflate(windowBits: 11)
    private static let narrowPeer = PerMessageDeflate(peerWindowBits: 11)
    private static let withoutContext = PerMessageDeflate(
        keepsContext: false,
        peerKeepsContext: false
    )

    static let accepted: [Case] = [
        Case("", ""),
        Case("; server_no_context_takeover", "; server_no_context_takeover"),
        Case("; client_no_context_takeover", "; client_no_context_takeover"),
        Case(
            "; client_no_context_takeover; server_no_context_takeover",
            "; server_no_context_takeover; client_no_context_takeover"
        ),
        Case("; server_max_window_bits=15", "; server_max_window_bits=15"),
        Case("; server_max_window_bits=10", "; server_max_window_bits=10"),
        Case("; server_max_window_bits=9", "; server_max_window_bits=9"),
        Case("; server_max_window_bits=\"10\"", "; server_max_window_bits=10"),
        Case("; server_max_window_bits=\"1\\0\"", "; server_max_window_bits=10"),
        Case(" ;\tserver_max_window_bits = 10 ", "; server_max_window_bits=10"),
        Case("; client_max_window_bits", ""),
        Case("; client_max_window_bits=15", ""),
        Case("; client_max_window_bits=8", "; client_max_window_bits=8"),
        Case(
            "; client_max_window_bits; server_max_window_bits=12; client_no_context_takeover",
            "; client_no_context_takeover; server_max_window_bits=12"
        ),
        Case(", ,", ""),
        Case("; server_max_window_bits=8, permessage-deflate", ""),
        Case("; unknown, other, permessage-deflate; client_max_window_bits", ""),
        Case("; client_no_context_takeover, permessage-deflate", "; client_no_context_takeover"),
        Case("-not-this-one, permessage-deflate", ""),
        Case("", "; server_max_window_bits=11", narrow),
        Case("; server_max_window_bits=10", "; server_max_window_bits=10", narrow),
        Case("; server_max_window_bits=12", "; server_max_window_bits=11", narrow),
        Case("; client_max_window_bits", "; client_max_window_bits=11", narrowPeer),
        Case("; client_max_window_bits=10", "; client_max_window_bits=10", narrowPeer),
        Case("; client_max_window_bits=12", "; client_max_window_bits=11", narrowPeer),
        Case("", "; server_no_context_takeover; client_no_context_takeover", withoutContext),
    ]

    static let declined: [Case] =
        [
            "; server_no_context_takeover=1", "; client_no_context_takeover=\"true\"",
            "; server_max_window_bits", "; server_max_window_bits=7", "; server_max_window_bits=16",
            "; server_max_window_bits=010", "; server_max_window_bits=+9",
            "; server_max_window_bits=ten", "; client_max_window_bits=7",
            "; client_max_window_bits=16", "; client_max_window_bits=08",
            // zlib's deflate has no smaller window than 9.
            "; server_max_window_bits=8",
            "; server_no_context_takeover; server_no_context_takeover",
            "; server_max_window_bits=10; server_max_window_bits=10",
            "; client_max_window_bits; client_max_window_bits=10",
            "; unknown", "; Server_No_Context_Takeover", "-not-this-one", "; unknown=\"quoted\"",
        ].map { Case($0, nil) } + [Case("", nil, narrowPeer)]

    private func request(_ offer: String?) -> HTTPRequestHead {
        var handshake = WebSocketClientHandshake(target: "/", host: "h").request
        handshake.headers["Sec-WebSocket-Extensions"] = offer
        return handshake
    }

    @Test("each offer gets the expected response, or none", arguments: accepted + declined)
    func answers(_ one: Case) throws {
        let acceptance = try WebSocketHandshake.accept(
            request(one.offer),
            compression: one.wanted
        )
        #expect(acceptance.response.headers["Sec-WebSocket-Extensions"] == one.answer)
        #expect((acceptance.compression == nil) == (one.answer == nil))
    }

    @Test("offers may be in several lines, and none is accepted if compression is off")
    func lines() throws {
        var head = request("other; a=b")
        head.headers.add("Sec-WebSocket-Extensions", "permessage-deflate")
        let wanted = PerMessageDeflate()
        #expect(try WebSocketHandshake.accept(head, compression: wanted).compression == wanted)
        let plain = try WebSocketHandshake.accept(head)
        #expect(plain.compression == nil)
        #expect(!plain.response.headers.contains("Sec-WebSocket-Extensions"))
    }

    @Test("both sides derive the same settings from a response")
    func bothSides() throws {
        let offered = PerMessageDeflate(windowBits: 12, keepsContext: false)
        let handshake = WebSocketClientHandshake(target: "/", host: "h", compression: offered)
        let acceptance = try WebSocketHandshake.accept(
            handshake.request,
            compression: PerMessageDeflate(windowBits: 10, peerWindowBits: 11)
        )
        let server = try #require(acceptance.compression)
        #expect(server.windowBits == 10)
        #expect(server.keepsContext)
        #expect(server.peerWindowBits == 11)
        #expect(!server.peerKeepsContext)
        let client = try #require(try handshake.compression(in: acceptance.response))
        #expect(client.windowBits == 11)
        #expect(!client.keepsContext)
        #expect(client.peerWindowBits == 10)
        #expect(client.peerKeepsContext)
    }

    @Test(
        "a malformed list of extensions fails the handshake",
        arguments: [
            "", ",", ";", "permessage-deflate;", "permessage-deflate; =1", "a; b=", "a b", "a;;b",
            "a; b=\"", "a; b=\"c", "a; b=\"c d\"", "a; b=\"\"", "a; b=\"\\", "a; b=c d", "a; b=c=d",
            "a/b", "\"a\"", "permessage-deflate, a b",
        ]
    )
    func malformed(_ value: String) {
        #expect(throws: WebSocketRefusal.malformed) {
            try WebSocketHandshake.accept(request(value), compression: PerMessageDeflate())
        }
    }

    // MARK: The client

    /// The settings of a client with this offer after a response.
    private func outcome(
        of answer: String,
        to offered: PerMessageDeflate?
    ) throws(WebSocketHandshakeError) -> PerMessageDeflate? {
        let handshake = WebSocketClientHandshake(target: "/", host: "h", compression: offered)
        var response = HTTPResponseHead(.switchingProtocols)
        response.headers["Sec-WebSocket-Extensions"] = answer
        return try handshake.compression(in: response)
    }

    private static let modest = PerMessageDeflate(
        windowBits: 10,
        keepsContext: false,
        peerWindowBits: 11,
        peerKeepsContext: false
    )

    @Test("a client offers its preferences")
    func offers() {
        func offer(_ wanted: PerMessageDeflate?) -> String? {
            WebSocketClientHandshake(target: "/", host: "h", compression: wanted)
                .request.headers["Sec-WebSocket-Extensions"]
        }
        #expect(offer(nil) == nil)
        #expect(offer(PerMessageDeflate()) == "permessage-deflate; client_max_window_bits=15")
        #expect(
            offer(Self.modest)
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=11; client_max_window_bits=10"
        )
    }

    @Test("a client obeys the response")
    func keepsTo() throws {
        let all = PerMessageDeflate()
        #expect(try outcome(of: "permessage-deflate", to: all) == all)
        let withoutContext = try outcome(
            of: "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
            to: all
        )
        #expect(withoutContext == Self.withoutContext)
        let narrow = try outcome(
            of: "permessage-deflate; client_max_window_bits=9; server_max_window_bits=\"8\"",
            to: all
        )
        #expect(narrow?.windowBits == 9)
        #expect(narrow?.peerWindowBits == 8)
        let wide = "; server_no_context_takeover; server_max_window_bits=11"
        #expect(try outcome(of: "permessage-deflate\(wide)", to: Self.modest) == Self.modest)
    }

    @Test(
        "a response that does not match the offer fails the connection",
        arguments: [
            "other", "permessage-deflate, other", "permessage-deflate, permessage-deflate",
            "permessage-deflate; unknown", "permessage-deflate; client_max_window_bits",
            "permessage-deflate; client_max_window_bits=16",
            "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
        ]
    )
    func wrongAnswers(_ answer: String) {
        #expect(throws: WebSocketHandshakeError.wrongExtension) {
            try outcome(of: answer, to: PerMessageDeflate())
        }
    }

    @Test("a response without the required parameters fails the connection")
    func missingParameters() {
        for answer in [
            "", "; server_no_context_takeover", "; server_max_window_bits=11",
            "; server_no_context_takeover; server_max_window_bits=12",
        ] {
            #expect(throws: WebSocketHandshakeError.wrongExtension) {
                try outcome(of: "permessage-deflate\(answer)", to: Self.modest)
            }
        }
        #expect(throws: WebSocketHandshakeError.wrongExtension) {
            try outcome(of: "permessage-deflate", to: nil)
        }
        #expect(throws: WebSocketHandshakeError.malformed) {
            try outcome(of: "permessage-deflate;", to: PerMessageDeflate())
        }
    }
}
