// Interprets results of libpq.

import CPostgres

/// A result of libpq by its status.
enum ServerResult {
    case rows(PostgresRows)
    case failed(PostgresError)
    /// Not executed because an earlier statement of the group failed.
    case skipped
    /// A Sync: the end of a group of pipelined statements.
    case synchronized

    /// Takes ownership of `result`.
    init(owning result: OpaquePointer) {
        let memory = ResultMemory(owning: result)
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            self = .rows(PostgresRows(memory: memory))
        case PGRES_PIPELINE_SYNC: self = .synchronized
        case PGRES_PIPELINE_ABORTED: self = .skipped
        case PGRES_FATAL_ERROR, PGRES_NONFATAL_ERROR, PGRES_BAD_RESPONSE:
            self = .failed(Self.error(of: memory))
        default:
            // COPY, which is not supported here.
            self = .failed(.driver("a statement of a kind that is not supported"))
        }
    }

    private static func error(of memory: ResultMemory) -> PostgresError {
        func field(_ code: Character) -> String? {
            let code = Int32(code.asciiValue ?? 0)
            return PQresultErrorField(memory.pointer, code).map { String(cString: $0) }
        }
        // The field codes of "Error and Notice Message Fields" in PostgreSQL's protocol: C code, M
        // message, n constraint, t table, c column. libpq defines them as character macros.
        guard let state = field("C") else {
            // Without a code the error is libpq's own, about the connection.
            let message = PQresultErrorMessage(memory.pointer).map { String(cString: $0) } ?? ""
            return .connectionLost(trimmed(message))
        }
        return .server(
            PostgresServerError(
                sqlState: SQLState(rawValue: state),
                message: field("M") ?? "",
                constraint: field("n"),
                table: field("t"),
                column: field("c")
            )
        )
    }
}

/// libpq's latest error message for a connection, on one line.
func connectionMessage(_ connection: OpaquePointer?) -> String {
    trimmed(PQerrorMessage(connection).map { String(cString: $0) } ?? "")
}

private func trimmed(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).joined(separator: "; ")
}
