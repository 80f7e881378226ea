// Formats of answers: how they are read, and how they are stored.

import ChatCore
import ConstrainedText
import FoundationEssentials
import OpenAIProtocol
import Testing

@Suite("A format of an answer")
struct AnswerFormatTests {
    private func chat(_ format: String) throws(APIError) -> AnswerFormat? {
        let text =
            #"{"model":"m","messages":[{"role":"user","content":"Hi"}],"response_format":\#(format)}"#
        return try ChatCompletionRequest(reading: Array(text.utf8)).options.format
    }

    private func response(_ text: String) throws(APIError) -> ResponseRequest {
        try ResponseRequest(reading: Array(#"{"model":"m","input":"Hi","text":\#(text)}"#.utf8))
    }

    @Test("is read from chat completions and responses")
    func reads() throws {
        let schema = #"{"type":"object","properties":{"b":{},"a":{"const":1.5}}}"#
        let format = AnswerFormat(.jsonSchema(schema), name: "n-1_X", isStrict: true)
        let members = #""name":"n-1_X","description":"d","strict":true,"schema":\#(schema)"#
        #expect(try chat(#"{"type":"json_schema","json_schema":{\#(members)}}"#) == format)
        let read = try response(#"{"format":{"type":"json_schema",\#(members)}}"#)
        #expect(read.completion.options.format == format)
        #expect(read.completion.formatField == "text.format")
        #expect(try chat(#"{"type":"json_object"}"#) == AnswerFormat(.jsonObject))
        #expect(try chat(#"{"type":"text"}"#) == nil && chat("null") == nil)
        #expect(try response(#"{"format":{"type":"text"}}"#).completion.options.isEmpty)
        #expect(try response("{}").completion.options.isEmpty)
    }

    @Test(
        "that is malformed is refused with its field",
        arguments: [
            (#"{"type":"xml"}"#, "response_format.type"), ("{}", "response_format.type"),
            (#"{"type":"json_object","schema":{}}"#, "response_format.schema"),
            (#"{"type":"json_schema"}"#, "response_format.json_schema"),
            (
                #"{"type":"json_schema","json_schema":{"schema":{}}}"#,
                "response_format.json_schema.name"
            ),
            (
                #"{"type":"json_schema","json_schema":{"name":"a b","schema":{}}}"#,
                "response_format.json_schema.name"
            ),
            (
                #"{"type":"json_schema","json_schema":{"name":"a"}}"#,
                "response_format.json_schema.schema"
            ),
            (
                #"{"type":"json_schema","json_schema":{"name":"a","schema":true}}"#,
                "response_format.json_schema.schema"
            ),
            (
                #"{"type":"json_schema","json_schema":{"name":"a","schema":{},"x":1}}"#,
                "response_format.json_schema.x"
            ),
            (
                #"{"type":"json_schema","json_schema":{"name":"a","schema":{},"strict":1}}"#,
                "response_format.json_schema.strict"
            ),
            ("3", "response_format"),
        ]
    )
    func refuses(format: String, field: String) throws {
        let error = #expect(throws: APIError.self) { _ = try chat(format) }
        #expect(error?.status == 400 && error?.parameter == field, "\(String(describing: error))")
    }

    @Test("of a response is the only member of text")
    func verbosity() throws {
        let error = #expect(throws: APIError.self) { _ = try response(#"{"verbosity":"low"}"#) }
        #expect(error?.parameter == "text.verbosity")
    }

    @Test("is stored as it is", arguments: [AnswerConstraint.jsonObject, .jsonSchema("{}")])
    func stored(constraint: AnswerConstraint) throws {
        var options = CompletionOptions()
        options.format = AnswerFormat(constraint, name: "n", isStrict: false)
        let data = try JSONEncoder().encode(options)
        #expect(try JSONDecoder().decode(CompletionOptions.self, from: data) == options)
    }
}
