// The table of slash commands, and what some of them read.

import ChatProtocol
import Testing
import stoa

@Suite("Slash commands")
struct ChatCommandTests {
    @Test("the commands of the page are there, each once, and the help fits 80 columns")
    func table() {
        let wanted = [
            "new", "list", "open", "system", "model", "retry", "edit", "branch", "fork", "pin",
            "share", "invite", "search", "export", "settings", "receipt", "budget", "stop", "help",
        ]
        #expect(Set(wanted).isSubset(of: ChatCommand.names))
        #expect(Set(ChatCommand.names).count == ChatCommand.names.count)
        let lines = ChatCommand.helpText.split(separator: "\n")
        #expect(lines.filter { $0.count > 80 } == [])
        for command in ChatCommand.all {
            #expect(lines.contains { $0.hasPrefix(command.usage + " ") }, "\(command.usage)")
        }
    }

    @Test("every command takes the arguments of its help, or none where it shows none")
    func arguments() {
        for command in ChatCommand.all {
            let argument = command.arguments.replacing("N", with: "1").filter { !"[]".contains($0) }
            for name in [command.name] + command.others {
                let line = argument.isEmpty ? "/\(name)" : "/\(name) \(argument)"
                if case .wrong(let why) = ChatInput(line) { Issue.record("\(line): \(why)") }
            }
            guard command.arguments.isEmpty else { continue }
            guard case .wrong = ChatInput("/\(command.name) x") else {
                Issue.record("/\(command.name) takes an argument")
                continue
            }
        }
    }

    @Test("settings are changed one by one, and what is out of bounds is said")
    func settings() throws {
        let old = GenerationSettings(temperature: 0.5, seed: 7)
        let new = try SettingsLine.changed(old, by: "seed= max_tokens=9  stop=END top_p=0.9")
        let thoughtful = try SettingsLine.changed(old, by: "max_thinking_tokens=0")
        #expect(thoughtful.maxThinkingTokens == 0)
        #expect(
            new == GenerationSettings(temperature: 0.5, topP: 0.9, maxTokens: 9, stop: ["END"])
        )
        #expect(
            SettingsLine.text(new)
                == "temperature=0.5\ntop_p=0.9\nmax_tokens=9\nmax_thinking_tokens= (the server's)\n"
                + "seed= (the server's)\nstop=END"
        )
        for wrong in ["temperature", "temperature=hot", "heat=1", "temperature=9", "max_tokens=0"] {
            #expect(throws: SettingsLine.Mistake.self, "\(wrong)") {
                try SettingsLine.changed(old, by: wrong)
            }
        }
    }

    @Test("a receipt is told in words, also a remote engine's, and one that is none")
    func receipts() {
        let run = """
            {"version":3,"run":{"version":1,"model":{"name":"phi","hash":"a","template_hash":"b"},
            "engine":{"stoa":"1","kernels":"avx2"},"rope":{"rule":"per-run","factors":"none"},
            "sampling":{"temperature":0,"top_p":1,"top_k":0,"min_p":0,"repetition_penalty":1,
            "repetition_window":0},"prompt":{"hash":"c","tokens":12,"cached":3,"computed":9},
            "answer":{"ids":[1,2],"finish":"stop","max_tokens":5,"stop_strings":[]},
            "times":{"waiting_ms":1.4,"prompt_ms":20}}}
            """
        let lines = ReceiptText.lines(Array(run.utf8))
        #expect(lines.contains("Prompt: 12 tokens, 3 of them from the cache"), "\(lines)")
        #expect(lines.contains("Times: 1 ms in the queue, 20 ms to the first token"), "\(lines)")
        let remote = #"{"remote":{"engine":"far","model":"phi","template":"here"}}"#
        #expect(ReceiptText.lines(Array(remote.utf8)).first?.contains("phi on far") == true)
        #expect(ReceiptText.lines(Array("[]".utf8)).count == 1)
    }
}
