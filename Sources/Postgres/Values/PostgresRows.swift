// The rows of a result. libpq's own memory is kept and read in place; nothing is copied before it
// is asked for.

import CPostgres
import Glibc

/// A result of libpq, freed with the last row that refers to it.
///
/// Safety: libpq never changes a result once it has handed it over (libpq manual, 34.20), and all
/// that we call on it only reads.
final class ResultMemory: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes `pointer` over.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }
}

/// What a statement gave: rows, and how many rows it touched.
public struct PostgresRows: Sendable, RandomAccessCollection {
    let memory: ResultMemory

    /// 0, the first row.
    public var startIndex: Int { 0 }
    /// How many rows there are.
    public var endIndex: Int { Int(PQntuples(memory.pointer)) }

    /// How many rows an INSERT, UPDATE or DELETE touched, or a SELECT gave.
    public var affectedRowCount: Int {
        PQcmdTuples(memory.pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// What the server says that it did, such as `INSERT 0 3`.
    var commandTag: String {
        PQcmdStatus(memory.pointer).map { String(cString: $0) } ?? ""
    }

    /// The names of the columns.
    public var columns: [String] {
        (0..<PQnfields(memory.pointer)).map { columnName($0) }
    }

    /// The row at `position`.
    public subscript(position: Int) -> PostgresRow {
        precondition(position >= 0 && position < endIndex, "no row \(position)")
        return PostgresRow(rows: self, index: Int32(position))
    }

    func columnName(_ column: Int32) -> String {
        PQfname(memory.pointer, column).map { String(cString: $0) } ?? "\(column)"
    }
}

/// One row of a result.
public struct PostgresRow: Sendable {
    let rows: PostgresRows
    let index: Int32

    /// The value in column `column`, counted from 0.
    /// - Throws: `decoding` where the value is not a `Value`; NULL only is where that is optional.
    public func decode<Value: PostgresDecodable>(
        _ column: Int,
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let result = rows.memory.pointer
        guard column >= 0, column < Int(PQnfields(result)) else {
            throw .decoding(column: "\(column)", expected: "\(type)", found: "no such column")
        }
        let column = Int32(column)
        let cellType = PostgresType(rawValue: PQftype(result, column))
        var bytes: UnsafeRawBufferPointer?
        if PQgetisnull(result, index, column) == 0 {
            bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result, index, column),
                count: Int(PQgetlength(result, index, column))
            )
        }
        // The cell's bytes are the result's; it must not be freed while they are read.
        let value = withExtendedLifetime(rows.memory) {
            Value(postgres: PostgresCell(type: cellType, bytes: bytes))
        }
        guard let value else {
            throw .decoding(
                column: rows.columnName(column),
                expected: "\(type)",
                found: bytes == nil ? "NULL" : cellType.displayName
            )
        }
        return value
    }

    /// The value in the column `name`.
    /// - Throws: `decoding` where there is no such column or its value is not a `Value`.
    public func decode<Value: PostgresDecodable>(
        _ name: String,
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let result = rows.memory.pointer
        for column in 0..<PQnfields(result) {
            if let text = PQfname(result, column), strcmp(text, name) == 0 {
                return try decode(Int(column), as: type)
            }
        }
        throw .decoding(column: name, expected: "\(type)", found: "no such column")
    }
}
