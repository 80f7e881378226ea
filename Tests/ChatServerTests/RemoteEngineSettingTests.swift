import ChatServer
import HTTPProtocol
import Testing

@Suite("Settings of remote engines")
struct RemoteEngineSettingTests {
    @Test("a URL and a model are enough")
    func defaults() throws {
        let engine = try RemoteEngineSetting("http://gpu1:8000/v1 model=microsoft/phi-4")
        #expect("\(engine.base.origin)" == "http://gpu1:8000" && engine.base.target == "/v1")
        #expect(engine.model == "microsoft/phi-4" && engine.name == "microsoft/phi-4")
        #expect(engine.label == "gpu1:8000" && engine.slots == 16 && engine.contextLength == nil)
        #expect(engine.keyFile == nil && engine.tokenizer == nil)
    }

    @Test("each word sets its value")
    func words() throws {
        let engine = try RemoteEngineSetting(
            "https://gpu1/v1 model=m as=phi label=a key-file=/k ca-file=/c tokenizer=/t slots=3 "
                + "context=8192 connect-seconds=1 first-token-seconds=2 next-token-seconds=3"
        )
        #expect(engine.name == "phi" && engine.label == "a" && engine.keyFile == "/k")
        #expect(engine.trustedFile == "/c" && engine.tokenizer == "/t" && engine.slots == 3)
        #expect(engine.contextLength == 8192 && engine.connectionSeconds == 1)
        #expect(engine.firstTokenSeconds == 2 && engine.nextTokenSeconds == 3)
        #expect(try RemoteEngineSetting("http://a model=m key-env=KEY").keyVariable == "KEY")
    }

    @Test(
        "what is wrong is named",
        arguments: [
            ("", "URL"), ("gpu1:8000 model=m", "URL"), ("ftp://gpu1 model=m", "URL"),
            ("http://me:secret@gpu1 model=m", "URL"), ("http://gpu1/v1", "model=NAME"),
            ("http://gpu1 model=m fast", "“fast”"), ("http://gpu1 model=", "NAME=VALUE"),
            ("http://gpu1 model=m colour=red", "“colour=”"),
            ("http://gpu1 model=m slots=0", "slots=0"),
            ("http://gpu1 model=m key-file=/k key-env=K", "one is enough"),
        ]
    )
    func refusals(_ text: String, _ part: String) {
        let fault = #expect(throws: SettingFault.self) { try RemoteEngineSetting(text) }
        #expect(fault?.description.contains(part) == true, "\(String(describing: fault))")
    }

    @Test("without a tokenizer, tokens are counted from bytes, rounded up")
    func estimate() {
        let encoding = EstimatedEncoding()
        #expect(EstimatedEncoding.tokens(of: "").isEmpty)
        #expect(EstimatedEncoding.tokens(of: "abcd").count == 2)
        let (tokens, counts) = encoding.encode([])
        #expect(tokens.count == 4 && counts.isEmpty)
    }
}
