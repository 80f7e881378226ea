// How PostgreSQL would execute a statement: its plan, without what people wrote.

public import EventLoop
import FoundationEssentials

/// Asks for plans, each over a connection of its own. Lives on its loop.
public struct StatementPlans {
    /// Texts after which EXPLAIN takes a statement.
    private static let explainable = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE"]

    private let loop: EventLoop
    private let configuration: PostgresConfiguration

    /// Creates it for a database.
    public init(loop: EventLoop, configuration: PostgresConfiguration) {
        var configuration = configuration
        configuration.statementTimeout = .seconds(5)
        // Executed once.
        configuration.preparedStatementCountMax = 0
        self.configuration = configuration
        self.loop = loop
    }

    /// The plan of a statement with its parameters, which is not executed.
    ///
    /// Only kinds of nodes, names of tables and indices, and estimates are read: conditions contain
    /// the parameters' values.
    /// - Parameter statement: the statement.
    /// - Returns: one line, such as `Limit rows=1 cost=8 (Index Scan messages_pkey on messages
    ///   rows=1 cost=8)`; nil if PostgreSQL does not plan such a statement.
    /// - Throws: `PostgresError`; its text may quote a parameter.
    public func plan(of statement: TimedStatement) async throws(PostgresError) -> String? {
        let begin = statement.sql.drop(while: \.isWhitespace)
        guard Self.explainable.contains(where: { begin.hasPrefix($0) }) else { return nil }
        let connection = PostgresConnection(loop: loop, configuration: configuration)
        try await connection.connect()
        let rows: PostgresRows
        do throws(PostgresError) {
            rows = try await connection.query(
                "EXPLAIN (FORMAT JSON) \(statement.sql)",
                statement.parameters
            )
        } catch {
            connection.close()
            throw error
        }
        connection.close()
        guard let text = try? rows.first?.decode("QUERY PLAN", as: String.self),
            let plans = try? JSONDecoder().decode([Explained].self, from: Data(text.utf8))
        else { return nil }
        return plans.first?.plan.description
    }

    private struct Explained: Decodable {
        let plan: Node
        enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }

    private struct Node: Decodable, CustomStringConvertible {
        let type: String
        let table: String?
        let index: String?
        let rows: Double?
        let cost: Double?
        let parts: [Node]?

        enum CodingKeys: String, CodingKey {
            case type = "Node Type"
            case table = "Relation Name"
            case index = "Index Name"
            case rows = "Plan Rows"
            case cost = "Total Cost"
            case parts = "Plans"
        }

        var description: String {
            var text = type
            if let index { text += " \(index)" }
            if let table { text += " on \(table)" }
            text += " rows=\(Int64(rows ?? 0)) cost=\(Int64(cost ?? 0))"
            let parts = parts ?? []
            return parts.isEmpty
                ? text : text + " (\(parts.map(\.description).joined(separator: "; ")))"
        }
    }
}
