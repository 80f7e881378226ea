import ChatProtocol
import TestSupport
import Testing
import Transfers

@Suite("Hostile files")
struct HostileFileTests {
    @Test("number more than a hundred")
    func count() {
        #expect(HostileFile.all.count > 100)
        #expect(Set(HostileFile.all.map(\.name)).count == HostileFile.all.count)
    }

    @Test("are refused or reported, and never create invalid records", arguments: HostileFile.all)
    func each(file: HostileFile) {
        let clock = ContinuousClock()
        let start = clock.now
        let done = ForeignImport(file.bytes)
        // Far more than any file takes, far less than quadratic time would.
        #expect(start.duration(to: clock.now) < .seconds(30))
        #expect(done.flaws() == [])
        switch file.outcome {
        case .refused(let error):
            #expect(
                done.error?.description.contains(error) == true,
                "\(String(describing: done.error))"
            )
            // An import starts only after this check, so nothing is imported.
            #expect(throws: TransferError.self) {
                try ForeignRecords.check(
                    BytesInMemory(file.bytes),
                    name: "export.json",
                    importer: ForeignImporter(user: nil, time: ForeignImport.now)
                )
            }
        case .skipped(let reason, let count):
            #expect(done.error == nil)
            #expect(done.skipped(reason) > 0, "\(done.report.skipped.reasons)")
            #expect(done.conversations.count == count)
        case .changed(let reason, let count):
            #expect(done.error == nil)
            #expect(done.changed(reason) > 0, "\(done.report.changed.reasons)")
            #expect(done.conversations.count == count)
        }
        #expect(done.report.skipped.notes.count <= 100)
        #expect(done.report.changed.notes.count <= 100)
    }

    @Test("made by damaging valid files at random never create invalid records")
    func damaged() throws {
        let fixtures = [
            "chatgpt.json", "openwebui.json", "openwebui-legacy.json", "librechat-flat.json",
            "librechat-recursive.json",
        ]
        var generator = SeededGenerator(seed: 17)
        for fixture in fixtures {
            let bytes = try ForeignImport.fixture(fixture)
            let archive = ZIPWriter.archive([ZIPWriter.Entry("conversations.json", bytes)])
            for _ in 0..<150 {
                #expect(ForeignImport(generator.mutate(bytes)).flaws() == [])
                #expect(ForeignImport(generator.mutate(archive)).flaws() == [])
            }
        }
    }

    @Test("with random trees become valid trees without losing text")
    func randomTrees() throws {
        var generator = SeededGenerator(seed: 23)
        for round in 0..<200 {
            let count = Int.random(in: 1...30, using: &generator)
            let nodes = (0..<count).map { index in
                let parent = Int.random(in: -2..<count, using: &generator)
                let role = ["user", "assistant"].randomElement(using: &generator) ?? "user"
                let time = Int.random(in: 0...3, using: &generator)
                return HostileFile.node(
                    "\(index)",
                    parent < 0 ? "null" : "\"\(parent)\"",
                    role: role,
                    text: "\"<\(index)>\"",
                    more: time == 0 ? "" : ",\"create_time\":\(1000 + time)"
                )
            }
            let done = ForeignImport("[\(HostileFile.chatGPT(nodes))]")
            #expect(done.flaws() == [], "round \(round)")
            let conversation = try #require(done.conversations.first)
            let texts = done.messages(of: conversation.id).map(\.text).joined(separator: " ")
            for index in 0..<count {
                #expect(texts.contains("<\(index)>"), "round \(round)")
            }
        }
    }
}
