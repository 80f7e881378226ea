import Postgres
import Testing

/// Connection strings.
@Suite("Configuration")
struct PostgresConfigurationTests {
    @Test(
        "URLs and key=value strings are parsed",
        arguments: [
            "postgresql://ann:secret@db.example:5433/chat",
            "host=db.example port=5433 user=ann password=secret dbname=chat",
        ]
    )
    func understood(text: String) throws {
        let configuration = try PostgresConfiguration(connectionString: text)
        #expect(configuration.parameters["host"] == "db.example")
        #expect(configuration.parameters["port"] == "5433")
        #expect(configuration.database == "chat")
        #expect(configuration.description == "host=db.example port=5433 user=ann dbname=chat")
    }

    @Test("passwords are never shown, not even in errors")
    func passwords() throws {
        let configuration = try PostgresConfiguration(
            connectionString: "postgresql://ann:secret@host/chat"
        )
        #expect(!"\(configuration)".contains("secret"))
        #expect(!String(reflecting: configuration).contains("secret"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("secret"))
        let error = #expect(throws: PostgresError.self) {
            try PostgresConfiguration(connectionString: "postgresql://ann:secret@[bad/chat")
        }
        #expect(!"\(try #require(error))".contains("secret"))
    }

    @Test(
        "invalid strings are refused",
        arguments: ["nonsense", "postgresql://h/d?colour=red", "host='"]
    )
    func refused(text: String) {
        #expect(throws: PostgresError.self) { try PostgresConfiguration(connectionString: text) }
    }
}
