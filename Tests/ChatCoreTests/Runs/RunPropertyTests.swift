import ChatCore
import ChatProtocol
import Testing

/// A row of the queue, as in the database.
private struct Row {
    /// The node that holds the lease; nil if none does.
    var owner: Int?
    /// The number of the latest claim: only this one may end the answer.
    var claim = 0
    var attempts = 0
    var isStopRequested = false
    /// Whether the stop request came before the run's outcome was known.
    var mustStop = false
    var end: String?
}

/// A run on a node, and the actions that the node executed for it.
private struct Held {
    var run = Run()
    let claim: Int
    let isQuarantined: Bool
    var done: [Run.Action] = []
    /// Whether it has a checkpoint with text.
    var hasText = false
    /// An outcome that is not stored yet.
    var outcome: String?
}

private struct ModelNode {
    var runs: [MessageID: Held] = [:]
    /// The run whose earlier attempts ended without text.
    var quarantined: MessageID?
}

/// Nodes that share a queue: nodes hang, leases expire, and stop requests arrive at any time.
private struct World {
    static let slots = 3
    let messages: [MessageID]
    var rows: [MessageID: Row] = [:]
    var nodes = [ModelNode](repeating: ModelNode(), count: 2)
    var dice: Dice
    var claimCount = 0

    init(seed: UInt64) {
        messages = (0..<8).map { QueueScene.answer($0, of: 0).message }
        dice = Dice(seed)
        for message in messages { rows[message] = Row() }
    }

    // MARK: A node

    mutating func handle(_ event: Run.Event, of message: MessageID, on node: Int) {
        guard var held = nodes[node].runs[message] else { return }
        let before = held.run.phase
        let actions = held.run.handle(event)
        #expect(before != .ended || actions.isEmpty)
        held.done += actions
        nodes[node].runs[message] = held
        for action in actions { execute(action, for: message, on: node) }
    }

    private mutating func execute(_ action: Run.Action, for message: MessageID, on node: Int) {
        switch action {
        case .store:
            let isStopped = nodes[node].runs[message]?.run.stop != nil
            nodes[node].runs[message]?.outcome = isStopped ? "stopped" : "complete"
        case .forget:
            nodes[node].runs[message] = nil
            if nodes[node].quarantined == message { nodes[node].quarantined = nil }
        case .submit, .cancel, .follow: break
        }
    }

    /// Counts the attempt, if the node still has the lease.
    private mutating func begin(_ message: MessageID, on node: Int) {
        guard let held = nodes[node].runs[message], rows[message]?.owner == node else {
            return handle(.giveUp, of: message, on: node)
        }
        rows[message]?.claim = held.claim
        rows[message]?.attempts += 1
        if rows[message]?.isStopRequested == true {
            handle(.stop(StopRequest(seen: nil)), of: message, on: node)
        }
    }

    // MARK: What happens

    mutating func claim(_ message: MessageID, on node: Int) {
        guard let row = rows[message], row.owner == nil, row.end == nil,
            nodes[node].runs[message] == nil,
            nodes[node].runs.values.count(where: \.run.occupiesSlot) < Self.slots
        else { return }
        let isQuarantined = row.attempts > 0
        if isQuarantined {
            guard nodes[node].quarantined == nil else { return }
            nodes[node].quarantined = message
        }
        claimCount += 1
        rows[message]?.owner = node
        nodes[node].runs[message] = Held(claim: claimCount, isQuarantined: isQuarantined)
        begin(message, on: node)
    }

    mutating func requestStop(_ message: MessageID) {
        guard rows[message]?.end == nil else { return }
        rows[message]?.isStopRequested = true
        // A run with an outcome ends with it; a run that begins afterwards must stop.
        let isDecided = nodes.contains { node in
            node.runs[message].map { $0.run.phase == .storing && $0.run.stop == nil } ?? false
        }
        if !isDecided { rows[message]?.mustStop = true }
        for node in nodes.indices {
            handle(.stop(StopRequest(seen: nil)), of: message, on: node)
        }
    }

    /// An engine's first text resets the number of attempts.
    mutating func checkpoint(_ message: MessageID, on node: Int) {
        guard let held = nodes[node].runs[message], held.run.isGenerating else { return }
        guard rows[message]?.owner == node, rows[message]?.claim == held.claim else {
            return handle(.leaseLost, of: message, on: node)
        }
        rows[message]?.attempts = 0
        nodes[node].runs[message]?.hasText = true
        if nodes[node].quarantined == message { nodes[node].quarantined = nil }
    }

    mutating func store(_ message: MessageID, on node: Int) {
        guard let held = nodes[node].runs[message], let outcome = held.outcome else { return }
        guard held.run.phase == .storing else { return }
        guard let row = rows[message], row.end == nil, row.claim == held.claim else {
            return handle(.refused, of: message, on: node)
        }
        #expect(row.end == nil)
        rows[message]?.end = outcome
        rows[message]?.owner = nil
        handle(.stored, of: message, on: node)
    }

    mutating func expireLease(_ message: MessageID) { rows[message]?.owner = nil }

    /// A node renews its leases; a lease that is not renewed expires.
    mutating func renewLease(_ message: MessageID, on node: Int) {
        switch (nodes[node].runs[message] != nil, rows[message]?.owner == node) {
        case (true, false): handle(.leaseLost, of: message, on: node)
        case (false, true): expireLease(message)
        default: break
        }
    }

    /// A node shuts down, and another one starts.
    mutating func restart(_ node: Int) {
        for message in nodes[node].runs.keys.sorted(by: { "\($0)" < "\($1)" }) {
            handle(.release, of: message, on: node)
            if rows[message]?.owner == node { rows[message]?.owner = nil }
        }
        for held in nodes[node].runs.values {
            #expect([.ended, .stopping, .storing].contains(held.run.phase))
        }
        nodes[node] = ModelNode()
    }

    mutating func step(withFailures: Bool) {
        let message = messages.randomElement(using: &dice) ?? messages[0]
        let node = Int.random(in: nodes.indices, using: &dice)
        switch Int.random(in: 0..<(withFailures ? 11 : 6), using: &dice) {
        case 0: claim(message, on: node)
        case 1: handle(.prepared, of: message, on: node)
        case 2:
            let phase = nodes[node].runs[message]?.run.phase
            if phase == .running || phase == .stopping {
                handle(.outcome, of: message, on: node)
            }
        case 3: store(message, on: node)
        case 4: checkpoint(message, on: node)
        case 5: renewLease(message, on: node)
        case 6: expireLease(message)
        case 7: requestStop(message)
        case 8: handle(.giveUp, of: message, on: node)
        case 9: if Int.random(in: 0..<10, using: &dice) == 0 { restart(node) }
        default: handle(.outcome, of: message, on: node)
        }
    }

    // MARK: What must hold

    func check() {
        for node in nodes {
            for held in node.runs.values { Self.check(held) }
            let occupied = node.runs.values.count { $0.run.occupiesSlot }
            #expect(occupied <= Self.slots)
            let untried = node.runs.values.count { held in
                held.isQuarantined && !held.hasText
                    && [.preparing, .running].contains(held.run.phase)
            }
            #expect(untried <= 1, "two quarantined runs at a time")
        }
    }

    static func check(_ held: Held) {
        func count(_ action: Run.Action) -> Int { held.done.count { $0 == action } }
        #expect(count(.submit) <= 1)
        #expect(count(.store) <= 1, "two ends of one run")
        #expect(count(.cancel) == 0 || count(.submit) == 1)
        // A slot is occupied from the claim until the engine was stopped or the outcome is known.
        let isFree = count(.cancel) > 0 || count(.store) > 0 || held.run.phase == .ended
        #expect(held.run.occupiesSlot == !isFree)
    }
}

@Suite("Runs on several nodes, over random events")
struct RunPropertyTests {
    @Test("all end once, stopped ones as stopped, whatever happens", arguments: 0..<200)
    func world(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<400 {
            world.step(withFailures: true)
            world.check()
        }
        var stepCount = 0
        while world.rows.values.contains(where: { $0.end == nil }), stepCount < 20_000 {
            world.step(withFailures: false)
            world.check()
            stepCount += 1
        }
        for row in world.rows.values {
            #expect(row.end != nil, "a run was lost")
            if row.mustStop { #expect(row.end == "stopped", "a stop was lost") }
        }
    }

    @Test(
        "a run alone does nothing after its end, and stores nothing after a lost lease",
        arguments: 0..<300
    )
    func alone(seed: UInt64) {
        var dice = Dice(seed)
        var run = Run()
        var done: [Run.Action] = []
        for _ in 0..<40 {
            guard let (_, event) = Run.Event.all.randomElement(using: &dice) else { return }
            let before = run
            let actions = run.handle(event)
            done += actions
            if before.phase == .ended { #expect(actions.isEmpty && run == before) }
            if event == .leaseLost, before.phase != .storing { #expect(run.phase == .ended) }
            // A stopped run is not submitted to an engine.
            if before.stop != nil { #expect(!actions.contains(.submit)) }
            if before.stop != nil { #expect(run.stop == before.stop) }
        }
        #expect(done.count { $0 == .store } <= 1)
        #expect(done.count { $0 == .forget } <= 1)
    }
}
