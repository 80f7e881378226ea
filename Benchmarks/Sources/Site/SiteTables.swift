// The tables that the commands of a site print.

import Capacity

/// A table of two columns, the first as wide as its longest entry.
struct SiteTable {
    private var rows: [(name: String, value: String)] = []

    mutating func row(_ name: String, _ value: String) { rows.append((name, value)) }

    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            row.name + String(repeating: " ", count: width - row.name.count) + "  \(row.value)\n"
        }.joined()
    }
}

enum SiteTables {
    /// A number with three digits that count.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "no end" }
        guard value != 0 else { return "0" }
        var scale = 1.0
        while abs(value) * scale < 100 { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    static func microseconds(_ seconds: Double) -> String { number(seconds * 1e6) + " µs" }
    static func milliseconds(_ seconds: Double) -> String { number(seconds * 1e3) + " ms" }

    /// Bytes in a unit that fits.
    static func bytes(_ value: Double) -> String {
        for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where value >= size {
            return "\(number(value / size)) \(unit)"
        }
        return "\(number(value)) bytes"
    }

    static func costs(_ costs: SiteCosts) -> String {
        var table = SiteTable()
        let (node, database, engine) = (costs.node, costs.database, costs.engine)
        table.row("machine", "\(costs.machine.processor), \(costs.machine.cores) cores")
        table.row("server: a turn, one reader", microseconds(node.turn))
        table.row("  each further reader of it", microseconds(node.turnReader))
        table.row("  each 1,000 tokens of its prompt", microseconds(node.promptToken * 1000))
        table.row("  a turn beside other nodes, in addition", microseconds(node.turnBeside))
        table.row("  a delta", microseconds(node.delta))
        table.row("  a delta for each subscriber", microseconds(node.deltaReader))
        table.row("  a second of an answer for another node", microseconds(node.remoteAnswerSecond))
        table.row("  1,000 idle connections, of a second", microseconds(node.connection * 1000))
        table.row("  nothing, of a second", microseconds(node.idle))
        table.row("  what is merged, of a second", microseconds(node.busy))
        table.row(
            "  memory, and of each connection",
            bytes(node.memory) + ", " + bytes(node.connectionMemory)
        )
        table.row("  first token, without the engine", milliseconds(node.firstToken))
        table.row("PostgreSQL: a turn, one member", microseconds(database.turn))
        table.row("  each further member of it", microseconds(database.turnReader))
        table.row("  each 1,000 tokens of its prompt", microseconds(database.promptToken * 1000))
        table.row("  a turn beside other nodes, in addition", microseconds(database.turnBeside))
        table.row("  a second of a growing answer", microseconds(database.answerSecond))
        table.row("  the same for another node", microseconds(database.remoteAnswerSecond))
        table.row("  nothing, of a second", microseconds(database.idle))
        table.row("  what is merged, of a second", microseconds(database.busy))
        table.row(
            "  statements: a turn, a second of growing",
            number(database.turnStatements) + ", " + number(database.answerSecondStatements)
        )
        table.row(
            "  WAL: a turn, a further member, a second of growing, the same for another node",
            [
                database.turnWAL, database.turnReaderWAL, database.answerSecondWAL,
                database.remoteAnswerSecondWAL,
            ].map(bytes).joined(separator: ", ")
        )
        table.row("  memory", bytes(database.memory))
        table.row(
            "engine: \(engine.model), prompt tokens a second",
            number(engine.promptTokensPerSecond)
        )
        for batch in engine.batches {
            table.row("  tokens a second, \(batch.answers) at once", number(batch.tokensPerSecond))
        }
        table.row("  memory of 1,000 tokens of context", bytes(engine.contextTokenMemory * 1000))
        table.row("  weights", bytes(engine.weightMemory))
        return table.text
    }

    static func forecast(_ site: Site, _ forecast: SiteForecast, _ goals: SiteGoals) -> String {
        var table = SiteTable()
        let shares = forecast.shares(site, goals: goals)
        func share(_ part: SitePart) -> String {
            "\(Int(((shares[part] ?? 0) * 100).rounded())) % of what is allowed"
        }
        table.row("turns a minute", number(forecast.turnsPerSecond * 60))
        table.row("engines", "\(site.engines), each with \(site.slots) answers at once")
        table.row("  used", share(.engines))
        let memory = forecast.memory.engine
        table.row("  memory of each", memory > 0 ? bytes(memory) : "not known")
        table.row("nodes", "\(site.nodes)")
        table.row("  processors of each", "\(number(forecast.nodeProcessors)), \(share(.nodes))")
        table.row(
            "  connections of each",
            "\(number(forecast.connectionsPerNode)), \(share(.connections))"
        )
        table.row("  memory of each", bytes(forecast.memory.node))
        table.row("cores of PostgreSQL", "\(site.databaseCores)")
        table.row("  processors", "\(number(forecast.databaseProcessors)), \(share(.database))")
        table.row("  of them for notifications", notifications(forecast.notifications))
        table.row("  statements a second", number(forecast.statementsPerSecond))
        table.row("  WAL a second", bytes(forecast.walPerSecond))
        table.row("  memory, without the cache of files", bytes(forecast.memory.database))
        table.row("answers that grow at the same time", number(forecast.growing))
        table.row(
            "first token: mean, one of ten, one of a hundred",
            [
                forecast.firstToken, forecast.firstTokenTail.tenth,
                forecast.firstTokenTail.hundredth,
            ].map(milliseconds).joined(separator: ", ")
        )
        table.row("tokens a second of a reader", number(forecast.tokensPerSecond))
        table.row("ends first", forecast.bottleneck(site, goals: goals).rawValue)
        return table.text
    }

    private static func notifications(_ cost: NotificationCost) -> String {
        let processors = "\(number(cost.processors)), \(number(cost.perSecond)) a second"
        return cost.isMeasured ? processors : "\(processors): more than was measured"
    }

    static func simulation(_ figures: SimulatedFigures) -> String {
        var table = SiteTable()
        func both(_ value: SimulatedFigures.Distribution, _ format: (Double) -> String) -> String {
            "\(format(value.median)), \(format(value.hundredth))"
        }
        table.row("turns a minute", number(figures.turnsPerMinute))
        table.row(
            "processors of a node: mean, busiest",
            "\(number(figures.nodeProcessors)), \(number(figures.busiestNodeProcessors))"
        )
        table.row("  work waits there: median, 99 %", both(figures.nodeDelay, milliseconds))
        table.row(
            "processors of PostgreSQL: median, 99 %",
            both(figures.databaseProcessors, number)
        )
        table.row("  work waits there: median, 99 %", both(figures.databaseDelay, milliseconds))
        table.row(
            "  of them for notifications",
            "\(number(figures.notificationProcessors)), \(number(figures.notificationsPerSecond)) a second"
                + (figures.notificationsAreMeasured ? "" : ": more than was measured")
        )
        table.row(
            "answers in engines, most that waited",
            "\(number(figures.running)), \(figures.waitingMax)"
        )
        table.row("first token: median, 99 %", both(figures.firstToken, milliseconds))
        return table.text
    }
}
