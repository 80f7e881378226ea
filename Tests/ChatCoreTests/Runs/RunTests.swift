import ChatCore
import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension Run.Event {
    /// Every event, by its name.
    static let all: [(name: String, event: Run.Event)] = [
        ("stop", .stop(StopRequest(seen: 3))), ("prepared", .prepared),
        ("outcome", .outcome), ("giveUp", .giveUp), ("leaseLost", .leaseLost),
        ("release", .release), ("stored", .stored), ("refused", .refused),
    ]
}

extension Run {
    /// A run in a phase, after a sequence of events that leads to it.
    static func inPhase(_ phase: Phase) -> Run {
        let way: [Event] =
            switch phase {
            case .preparing: []
            case .aborting: [.stop(StopRequest(seen: nil))]
            case .running: [.prepared]
            case .stopping: [.prepared, .stop(StopRequest(seen: nil))]
            case .storing: [.prepared, .outcome]
            case .ended: [.giveUp]
            }
        var run = Run()
        for event in way { _ = run.handle(event) }
        return run
    }
}

@Suite("The state of a run")
struct RunTests {
    /// The result of an event: the next phase, then the actions; empty if nothing changes.
    private static let expected: [Run.Phase: [String: String]] = [
        .preparing: [
            "stop": "aborting", "prepared": "running submit", "outcome": "storing store",
            "giveUp": "ended forget", "leaseLost": "ended forget", "release": "ended",
        ],
        .aborting: [
            "prepared": "storing store", "outcome": "storing store", "giveUp": "ended forget",
            "leaseLost": "ended forget", "release": "ended",
        ],
        .running: [
            "stop": "stopping cancel", "outcome": "storing store",
            "leaseLost": "ended cancel follow forget", "release": "ended cancel",
        ],
        .stopping: [
            "outcome": "storing store", "leaseLost": "ended cancel follow forget",
        ],
        .storing: ["stored": "ended forget", "refused": "ended follow forget"],
        .ended: [:],
    ]

    @Test("follows the table for every event in every phase", arguments: Run.Phase.allCases)
    func table(phase: Run.Phase) {
        for (name, event) in Run.Event.all {
            var run = Run.inPhase(phase)
            #expect(run.phase == phase)
            let actions = run.handle(event)
            let result = ([run.phase.rawValue] + actions.map(\.rawValue)).joined(separator: " ")
            #expect(result == Self.expected[phase]?[name] ?? phase.rawValue, "\(name)")
        }
    }

    @Test("is shown in docs/develop/runs.md as it is")
    func documentation() throws {
        let path = "\(SharedFiles.packageRoot)/docs/develop/runs.md"
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("|") }
            .map { line in
                line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                    .map { $0.filter { $0 != " " && $0 != "`" } }
            }
        let start = try #require(rows.firstIndex { $0.first == "event" })
        let phases = try rows[start].dropFirst().map { try #require(Run.Phase(rawValue: $0)) }
        #expect(phases == Array(Run.Phase.allCases.dropLast()))
        let documented = rows[(start + 2)...].prefix(Run.Event.all.count)
        #expect(documented.map(\.first) == Run.Event.all.map(\.name))
        for (row, (name, event)) in zip(documented, Run.Event.all) {
            for (cell, phase) in zip(row.dropFirst(), phases) {
                var run = Run.inPhase(phase)
                let actions = run.handle(event).map(\.rawValue).joined(separator: ",")
                let isChanged = run.phase != phase || !actions.isEmpty
                let shown =
                    actions.isEmpty ? run.phase.rawValue : "\(run.phase.rawValue):\(actions)"
                #expect(cell == (isChanged ? shown : ""), "\(name) in \(phase)")
            }
        }
    }

    @Test("occupies a slot until its engine was cancelled or has ended it")
    func slots() {
        let occupying = Run.Phase.allCases.filter { Run.inPhase($0).occupiesSlot }
        #expect(occupying == [.preparing, .aborting, .running])
        let generating = Run.Phase.allCases.filter { Run.inPhase($0).isGenerating }
        #expect(generating == [.running, .stopping])
    }

    @Test("applies the first stop request, and none that arrives too late")
    func stops() {
        for phase in Run.Phase.allCases {
            var run = Run.inPhase(phase)
            let earlier = run.stop
            _ = run.handle(.stop(StopRequest(seen: 5)))
            _ = run.handle(.stop(StopRequest(seen: 9)))
            let takes = [.preparing, .running].contains(phase)
            #expect(run.stop == (takes ? StopRequest(seen: 5) : earlier), "\(phase)")
        }
    }
}
