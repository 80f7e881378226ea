import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Round trips of values through a real server.
@Suite("Values")
struct ValueTests {
    let database: TestDatabase
    let connection: BlockingConnection

    init() throws {
        database = try TestCluster.database()
        connection = try BlockingConnection(database.configuration)
    }

    /// The result of casting `value` to `type`.
    func roundTrip<Value: PostgresDecodable>(
        _ value: PostgresValue,
        _ type: String,
        as: Value.Type = Value.self
    ) throws -> Value {
        try connection.query("SELECT $1::\(type) AS value", [value])[0].decode("value")
    }

    @Test("integers are preserved at the limits of their ranges")
    func integers() throws {
        for number: Int64 in [.min, -1, 0, 1, .max] {
            #expect(try roundTrip(.int64(number), "int8") == number)
        }
        for number: Int32 in [.min, -1, 0, 1, .max] {
            #expect(try roundTrip(.int32(number), "int4") == number)
        }
        for number: Int16 in [.min, -1, 0, 1, .max] {
            #expect(try roundTrip(.int16(number), "int2") == number)
        }
        #expect(try roundTrip(.int16(7), "int8", as: Int.self) == 7)
    }

    @Test("an integer that does not fit is an error, not truncated")
    func narrowing() throws {
        #expect(throws: PostgresError.self) {
            try roundTrip(.int64(1 << 40), "int8", as: Int32.self)
        }
    }

    @Test("booleans, doubles and UUIDs are preserved")
    func scalars() throws {
        #expect(try roundTrip(.bool(true), "bool") == true)
        #expect(try roundTrip(.bool(false), "bool") == false)
        for number in [0, -0.5, 1e300, .infinity, .leastNonzeroMagnitude] {
            #expect(try roundTrip(.double(number), "float8") == number)
        }
        #expect(try roundTrip(.double(.nan), "float8", as: Double.self).isNaN)
        let id = UUID()
        #expect(try roundTrip(.uuid(id), "uuid") == id)
        #expect(try roundTrip(.uuid(id), "uuid::text") == id.uuidString.lowercased())
    }

    @Test(
        "text is preserved byte by byte",
        arguments: [
            "", " ", "a", "Grüße 👩‍👩‍👧 Ω", "'; DROP TABLE users; --", "\\ \\n %s $1 \"",
            "\u{1}\u{7f}", String(repeating: "long ", count: 400_000),
        ]
    )
    func text(text: String) throws {
        #expect(try roundTrip(.text(text), "text", as: String.self).utf8.elementsEqual(text.utf8))
        #expect(try roundTrip(.textArray([text, ""]), "text[]") == [text, ""])
    }

    @Test("bytes of every value are preserved")
    func bytes() throws {
        let all = (0...255).map { UInt8($0) }
        #expect(try roundTrip(.bytes(all), "bytea") == all)
        #expect(try roundTrip(.bytes([]), "bytea") == [UInt8]())
    }

    @Test("NULL is nil for an optional, otherwise an error")
    func nulls() throws {
        #expect(try roundTrip(.null, "text", as: String?.self) == nil)
        #expect(try roundTrip(.null, "int8", as: Int64?.self) == nil)
        #expect(try roundTrip(.null, "text[]", as: [String]?.self) == nil)
        #expect(try roundTrip(.text(""), "text", as: String?.self) == "")
        let error = #expect(throws: PostgresError.self) {
            try roundTrip(.null, "uuid", as: UUID.self)
        }
        #expect(error == .decoding(column: "value", expected: "UUID", found: "NULL"))
    }

    @Test("dates are preserved to the microsecond")
    func dates() throws {
        for seconds in [0, -1e9, 8.1e8 + 0.123456, 1e-6, -31_622_400] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let back = try roundTrip(.date(date), "timestamptz", as: Date.self)
            #expect(abs(back.timeIntervalSince(date)) < 1e-6)
        }
        let known = try connection.query(
            "SELECT '2026-11-21 12:00:00.5+00'::timestamptz AS noon, '2001-01-01'::timestamp AS epoch, "
                + "'infinity'::timestamptz AS never"
        )[0]
        #expect(try known.decode("noon", as: Date.self).timeIntervalSince1970 == 1_795_262_400.5)
        #expect(try known.decode("epoch", as: Date.self).timeIntervalSinceReferenceDate == 0)
        #expect(try known.decode("never", as: Date.self) == .distantFuture)
    }

    @Test("arrays are preserved, empty ones too; NULLs in them are an error")
    func arrays() throws {
        let ids = [UUID(), UUID()]
        #expect(try roundTrip(.uuidArray(ids), "uuid[]") == ids)
        let parts = try roundTrip(
            .bytesArray([[0, 255], []]),
            "bytea[]::text[]",
            as: [String].self
        )
        #expect(parts == ["\\x00ff", "\\x"])
        #expect(try roundTrip(.uuidArray([]), "uuid[]") == [UUID]())
        #expect(try roundTrip(.int64Array([1, -1]), "int8[]") == [Int64(1), -1])
        #expect(try roundTrip(.textArray([]), "text[]") == [String]())
        let row = try connection.query(
            "SELECT ARRAY['a', NULL] AS holes, ARRAY[[1::int8], [2]] AS square, ARRAY[1, 2] AS plain"
        )[0]
        #expect(throws: PostgresError.self) { try row.decode("holes", as: [String].self) }
        #expect(throws: PostgresError.self) { try row.decode("square", as: [Int64].self) }
        #expect(try row.decode("plain", as: [Int64].self) == [1, 2])
    }

    @Test("JSON and enumerations are read as text")
    func textLike() throws {
        #expect(try roundTrip(.json(#"{"a": [1, "é"]}"#), "jsonb") == #"{"a": [1, "é"]}"#)
        #expect(try roundTrip(.json("{}"), "json") == "{}")
        try connection.run("CREATE TYPE mood AS ENUM ('calm', 'merry')")
        #expect(try roundTrip(.text("merry"), "mood") == "merry")
    }

    @Test("text with a zero character is refused, not truncated")
    func zeroCharacter() throws {
        for value in [PostgresValue.text("a\0b"), .json("\0"), .textArray(["", "\0"])] {
            let error = #expect(throws: PostgresError.self) {
                try connection.query("SELECT $1, $2", [.int64(1), value])
            }
            #expect(error == .unrepresentableParameter(index: 1))
        }
    }

    @Test("the wrong type and the wrong column are errors that name them")
    func mismatches() throws {
        let row = try connection.query("SELECT 1.5::numeric AS n, 'x'::text AS t")[0]
        #expect(throws: PostgresError.decoding(column: "t", expected: "Int", found: "text")) {
            try row.decode("t", as: Int.self)
        }
        let numeric = PostgresError.decoding(column: "n", expected: "Double", found: "type 1700")
        #expect(throws: numeric) { try row.decode("n", as: Double.self) }
        #expect(throws: PostgresError.self) { try row.decode("missing", as: Int.self) }
    }

    @Test("columns are found by name in any order, in each row, and beyond the 64th")
    func names() throws {
        let columns = (0..<70).map { "n * 100 + \($0) AS c\($0)" }.joined(separator: ", ")
        let rows = try connection.query("SELECT \(columns) FROM generate_series(1, 3) AS n")
        for (index, row) in rows.enumerated() {
            let base = (index + 1) * 100
            #expect(try row.decode("c69", as: Int.self) == base + 69)
            #expect(try row.decode("c0", as: Int.self) == base)
            #expect(try row.decode("c1", as: Int.self) == base + 1)
            #expect(try row.decode("c1", as: Int.self) == base + 1)
            #expect(try row.decode("c68", as: Int.self) == base + 68)
        }
    }

    @Test("an ambiguous column name is an error, whichever column is first")
    func ambiguous() throws {
        let row = try connection.query("SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS c")[0]
        let error = PostgresError.decoding(column: "a", expected: "Int", found: "several columns")
        #expect(throws: error) { try row.decode("a", as: Int.self) }
        #expect(try row.decode("b", as: Int.self) == 2)
        // The column after it is now tried first.
        #expect(throws: error) { try row.decode("a", as: Int.self) }
        #expect(try row.decode("c", as: Int.self) == 4)
    }

    @Test("decoding without a name returns the only column")
    func onlyColumn() throws {
        #expect(try connection.query("SELECT count(*) FROM pg_class")[0].decode(as: Int.self) > 0)
        let pair = try connection.query("SELECT 1, 2")[0]
        #expect(throws: PostgresError.self) { try pair.decode(as: Int.self) }
        let none = try connection.query("SELECT FROM pg_class LIMIT 1")[0]
        #expect(throws: PostgresError.self) { try none.decode(as: Int.self) }
    }

    @Test("results have the number of rows and of affected rows")
    func counts() throws {
        try connection.run("CREATE TABLE numbers (n int8)")
        let inserted = try connection.query(
            "INSERT INTO numbers SELECT * FROM generate_series(1, 10) RETURNING n"
        )
        #expect(inserted.count == 10)
        #expect(inserted.columns == ["n"])
        #expect(try inserted.map { try $0.decode("n", as: Int.self) } == Array(1...10))
        let deleted = try connection.query("DELETE FROM numbers WHERE n > $1", [.int64(7)])
        #expect(deleted.affectedRowCount == 3)
        #expect(deleted.isEmpty)
    }

    @Test("an error has its code and constraint, and its description contains no value")
    func errors() throws {
        try connection.run("CREATE TABLE names (name text CONSTRAINT names_once UNIQUE)")
        let insert = "INSERT INTO names VALUES ($1)"
        _ = try connection.query(insert, [.text("hush-hush")])
        let twice = #expect(throws: PostgresError.self) {
            try connection.query(insert, [.text("hush-hush")])
        }
        #expect(twice?.isServer(.uniqueViolation, constraint: "names_once") == true)
        let unreadable = #expect(throws: PostgresError.self) {
            try connection.query("SELECT $1::int8", [.text("hush-hush")])
        }
        #expect(unreadable?.sqlState == .invalidTextRepresentation)
        for error in [twice, unreadable] {
            #expect(!"\(try #require(error))".contains("hush"))
        }
    }
}
