// Rows of a result, read in place from libpq's memory; nothing is copied before it is decoded.

import CPostgres
import Glibc
import Synchronization

/// A result of libpq, freed when the last row that refers to it is released.
///
/// Safety: libpq never changes a result after returning it (libpq manual, 34.20), and all our calls
/// only read it.
final class ResultMemory: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The column after the one found last: rows are usually decoded in column order, so it is
    /// tried first.
    private let next = Atomic<Int32>(0)
    /// A bit for each column whose name is known to be unique, so that names are compared once per
    /// result.
    private let unique = Atomic<UInt64>(0)

    /// Takes ownership of `pointer`.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    /// The result of looking up a column name.
    enum Column {
        case index(Int32)
        case missing
        case ambiguous
    }

    /// Finds the column `name` without allocating.
    func column(_ name: StaticString) -> Column {
        let count = PQnfields(pointer)
        let first = next.load(ordering: .relaxed)
        for offset in 0..<count {
            let column = first + offset < count ? first + offset : first + offset - count
            guard isColumn(column, called: name) else { continue }
            guard isUnique(column, name, count) else { return .ambiguous }
            next.store(column + 1 < count ? column + 1 : 0, ordering: .relaxed)
            return .index(column)
        }
        return .missing
    }

    private func isUnique(_ column: Int32, _ name: StaticString, _ count: Int32) -> Bool {
        let bit: UInt64 = column < 64 ? 1 << UInt64(column) : 0
        if unique.load(ordering: .relaxed) & bit != 0 { return true }
        for other in 0..<count where other != column {
            if isColumn(other, called: name) { return false }
        }
        unique.bitwiseOr(bit, ordering: .relaxed)
        return true
    }

    private func isColumn(_ column: Int32, called name: StaticString) -> Bool {
        guard let text = PQfname(pointer, column) else { return false }
        return name.utf8Start.withMemoryRebound(
            to: CChar.self,
            capacity: name.utf8CodeUnitCount + 1
        ) { strcmp(text, $0) == 0 }
    }
}

/// The result of a statement: rows, and the number of affected rows.
public struct PostgresRows: Sendable, RandomAccessCollection {
    let memory: ResultMemory

    /// 0, the first row.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { Int(PQntuples(memory.pointer)) }

    /// The number of rows that an INSERT, UPDATE or DELETE affected, or a SELECT returned.
    public var affectedRowCount: Int {
        PQcmdTuples(memory.pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The command tag, such as `INSERT 0 3`.
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

    /// The value in the column `name`, which must be unique.
    /// - Throws: `decoding` if there is no such column, or its value is not a `Value`; NULL
    ///   requires an optional.
    public func decode<Value: PostgresDecodable>(
        _ name: StaticString,
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        switch rows.memory.column(name) {
        case .index(let column): return try decode(at: column, as: type)
        case .missing:
            throw .decoding(column: "\(name)", expected: "\(type)", found: "no such column")
        case .ambiguous:
            throw .decoding(column: "\(name)", expected: "\(type)", found: "several columns")
        }
    }

    /// The value in the only column.
    /// - Throws: `decoding` if there are several columns or none, or the value is not a `Value`.
    public func decode<Value: PostgresDecodable>(
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let count = PQnfields(rows.memory.pointer)
        guard count == 1 else {
            throw .decoding(column: "", expected: "one column", found: "\(count) columns")
        }
        return try decode(at: 0, as: type)
    }

    private func decode<Value: PostgresDecodable>(
        at column: Int32,
        as type: Value.Type
    ) throws(PostgresError) -> Value {
        let result = rows.memory.pointer
        let cellType = PostgresType(rawValue: PQftype(result, column))
        var bytes: UnsafeRawBufferPointer?
        if PQgetisnull(result, index, column) == 0 {
            bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result, index, column),
                count: Int(PQgetlength(result, index, column))
            )
        }
        // The bytes belong to the result, which must not be freed while they are read.
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
}
