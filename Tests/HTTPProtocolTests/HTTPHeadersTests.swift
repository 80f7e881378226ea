import HTTPProtocol
import Testing

@Suite("Fields")
struct HTTPHeadersTests {
    @Test("names are tokens and compare case-insensitively")
    func names() {
        #expect(HTTPHeaderName("Content-Type") == .contentType)
        #expect(HTTPHeaderName("content-TYPE") == .contentType)
        #expect(Set([HTTPHeaderName("a"), HTTPHeaderName("A")]).count == 1)
        for wrong in ["", "a b", "a:", "a\r\n", "\u{E9}", "a\0"] {
            #expect(HTTPHeaderName(wrong) == nil)
        }
    }

    @Test("a value cannot start a new line")
    func injection() {
        var headers: HTTPHeaders = [.location: "/x\r\nSet-Cookie: stolen=1", "X-Nul": "a\0b"]
        #expect(headers[.location] == "/x  Set-Cookie: stolen=1")
        #expect(headers["x-nul"] == "a b")
        headers.add("X-Blank", "  \t ")
        #expect(headers["X-Blank"] == "")
        #expect(headers.count == 3)
        #expect(HTTPHeaders.isValidValue("caf\u{E9}"))
        #expect(!HTTPHeaders.isValidValue("a\nb"))
        #expect(!HTTPHeaders.isValidValue(" a"))
    }

    @Test("setting replaces all lines, nil removes them")
    func setting() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        #expect(headers["A"] == "1, 3")
        headers["a"] = "4"
        #expect(headers.fields.map(\.value) == ["2", "4"])
        headers["b"] = nil
        #expect(headers.fields.map(\.name) == ["A"])
    }

    @Test("the elements of a list are found over all its lines")
    func lists() {
        let headers: HTTPHeaders = [
            .connection: "keep-alive,  Upgrade ,", .connection: "X", "P": "stoa.V1, b",
        ]
        #expect(headers.tokens(of: .connection) == ["keep-alive", "upgrade", "x"])
        #expect(headers.listElements(of: "p") == ["stoa.V1", "b"])
        #expect(headers.tokens(of: .upgrade) == [])
    }
}
