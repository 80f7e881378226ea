// The life of a run on the node that claimed it, as a value: events in, actions out. It knows no clock, no
// database and no loop; `RunDispatcher` executes the actions. docs/develop/runs.md shows the table.

/// A request to stop a run.
public struct StopRequest: Sendable, Hashable {
    /// The UTF-8 byte up to which the reader had got; nil for all of the text.
    public let seen: Int?

    /// A request with what its reader has seen.
    public init(seen: Int?) {
        self.seen = seen
    }
}

/// One attempt to generate an assistant message, from its claim to its end. Before its claim it is a row of
/// the queue, and no node's.
public struct Run: Sendable, Hashable {
    /// How far a run is.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// This node has the lease; the attempt is counted and the prompt built.
        case preparing
        /// As `preparing`, but a stop was requested: no engine will get it.
        case aborting
        /// An engine has it.
        case running
        /// An engine has it and was told to cancel it.
        case stopping
        /// Its end is known and not yet committed.
        case storing
        /// Over on this node.
        case ended
    }

    /// What happens to a run.
    public enum Event: Sendable, Hashable {
        /// Somebody requested that it stops.
        case stop(StopRequest)
        /// Its prompt is built.
        case prepared
        /// It is known how it ends: an engine finished it or failed, or there is nothing to generate.
        case outcome
        /// It cannot be prepared here; its row stays in the queue.
        case giveUp
        /// Its lease is another node's, or its row has left the queue.
        case leaseLost
        /// The node shuts down and gives its leases back.
        case release
        /// Its end is committed.
        case stored
        /// Its end was refused: another run of the message has begun, or the message has ended.
        case refused
    }

    /// What the node has to do.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// Give the prompt to an engine.
        case submit
        /// Cancel the generation; the engine confirms it with an outcome.
        case cancel
        /// Commit how the run ended, however long the database is unavailable.
        case store
        /// Show subscribers here what the run that took over generates.
        case follow
        /// Remove the run from the node's table.
        case forget
    }

    /// How far it is.
    public private(set) var phase = Phase.preparing
    /// The first stop request that found it able to stop; later ones change nothing.
    public private(set) var stop: StopRequest?

    /// A run that was just claimed.
    public init() {}

    /// Whether it has one of the node's slots, or will have it when it is prepared. A stopping run has
    /// none: what comes next is claimed and prepared within the engine's last step.
    public var occupiesSlot: Bool {
        switch phase {
        case .preparing, .aborting, .running: true
        case .stopping, .storing, .ended: false
        }
    }

    /// Whether an engine has it.
    public var isGenerating: Bool { phase == .running || phase == .stopping }

    /// Takes an event.
    /// - Returns: what to do now, in this order; nothing for an event that has no meaning in the phase.
    public mutating func handle(_ event: Event) -> [Action] {
        guard let (next, actions) = Self.transition(phase, event) else { return [] }
        if case .stop(let request) = event { stop = request }
        phase = next
        return actions
    }

    /// The table; nil where an event changes nothing.
    private static func transition(_ phase: Phase, _ event: Event) -> (Phase, [Action])? {
        switch (phase, event) {
        case (.preparing, .stop): (.aborting, [])
        case (.preparing, .prepared): (.running, [.submit])
        case (.preparing, .outcome): (.storing, [.store])
        case (.preparing, .giveUp), (.preparing, .leaseLost): (.ended, [.forget])
        case (.preparing, .release): (.ended, [])

        case (.aborting, .prepared), (.aborting, .outcome): (.storing, [.store])
        case (.aborting, .giveUp), (.aborting, .leaseLost): (.ended, [.forget])
        case (.aborting, .release): (.ended, [])

        case (.running, .stop): (.stopping, [.cancel])
        case (.running, .outcome): (.storing, [.store])
        case (.running, .leaseLost): (.ended, [.cancel, .follow, .forget])
        case (.running, .release): (.ended, [.cancel])

        case (.stopping, .outcome): (.storing, [.store])
        case (.stopping, .leaseLost): (.ended, [.cancel, .follow, .forget])

        case (.storing, .stored): (.ended, [.forget])
        case (.storing, .refused): (.ended, [.follow, .forget])

        default: nil
        }
    }
}
