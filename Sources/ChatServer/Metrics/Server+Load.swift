// The server's load in the last seconds, for its administrators.

import ChatProtocol
import ChatStore
import EventLoop

extension Server {
    /// What happened in the last seconds; nil just after the start.
    var load: ServerLoad? {
        guard var load = window.load(until: sample) else { return nil }
        let connections = store.connections
        load.databaseConnections = connections.open
        load.databaseConnectionsUsed = connections.used
        load.databaseWaiting = connections.waiting
        return load
    }

    /// Takes a sample of the counters, if one is due.
    func noteLoad() {
        if window.isDue(at: loop.now) { window.add(sample) }
    }

    private var sample: LoadWindow.Sample {
        LoadWindow.Sample(
            time: loop.now,
            turns: loop.turnTimes,
            tokens: dispatcher.figures.answerTokensByModel
        )
    }
}
