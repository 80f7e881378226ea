import ChatProtocol
import ChatServer
import HTTPProtocol
import OpenAIProtocol
import Testing

@Suite("docs/reference/openapi.yaml, as `make reference` writes it")
struct OpenAPIReferenceTests {
    @Test("has the routes and types as the code has them, no less and no more")
    func document() throws {
        try GeneratedFile("openapi.yaml", text: OpenAPIDocument.make()).expectIsCurrent()
    }

    @Test("has each method that the router supports, and no other", arguments: HTTPRoute.allCases)
    func methods(route: HTTPRoute) {
        let described = route.operations.map(\.method)
        #expect(Set(described) == Set(route.methods).subtracting([.head]))
        #expect(described.count == Set(described).count)
        #expect(route.methods.contains(.head) == described.contains(.get))
    }

    @Test("has a name of its own for each method")
    func names() {
        let names = HTTPRoute.allCases.flatMap(\.operations).map(\.name)
        #expect(names.count == Set(names).count)
    }

    @Test("has each field that a request may have, and no other")
    func fields() {
        let completion = OpenAIBodies.chatCompletion.map(\.name)
        #expect(completion.sorted() == ChatCompletionRequest.fields.sorted())
        let text = OpenAIBodies.completion.map(\.name)
        #expect(text.sorted() == TextCompletionRequest.fields.sorted())
        let response = OpenAIBodies.response.map(\.name)
        #expect(response.sorted() == ResponseRequest.fields.sorted())
    }
}

@Suite("A YAML document")
struct YAMLTests {
    @Test("has maps, lists and texts of all kinds")
    func lines() {
        let value: YAML = [
            "a": "plain words", "b": ["one", ["c": 1, "d": true], []], "e": [:], "f": "it's: so",
            "404": ["yes"], "g": .list([.list(["x", "y"])]),
        ]
        #expect(
            value.lines == [
                "a: plain words", "b:", "  - one", "  - c: 1", "    d: true", "  - []", "e: {}",
                "f: 'it''s: so'", "'404':", "  - 'yes'", "g:", "  - - x", "    - 'y'",
            ]
        )
    }
}
