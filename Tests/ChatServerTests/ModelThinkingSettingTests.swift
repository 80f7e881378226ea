import ChatServer
import Testing

@Suite("Settings of models' thinking")
struct ModelThinkingSettingTests {
    @Test("a model has a number of tokens, or off")
    func values() throws {
        #expect(try ModelThinkingSetting("phi-4-reasoning=2000").tokensMax == 2000)
        let off = try ModelThinkingSetting("org/a=b=off")
        #expect(off.name == "org/a=b" && off.tokensMax == 0)
    }

    @Test(
        "what is wrong is named",
        arguments: [
            ("phi", "NAME=TOKENS"), ("=5", "NAME=TOKENS"), ("phi=", "for phi"),
            ("phi=-1", "“-1”"), ("phi=1000001", "1000000"), ("phi=yes", "“yes”"),
        ]
    )
    func refusals(_ text: String, _ part: String) {
        let error = #expect(throws: (any Error).self) { try ModelThinkingSetting(text) }
        #expect("\(String(describing: error))".contains(part), "\(String(describing: error))")
    }
}
