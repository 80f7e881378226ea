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

    @Test(
        "several hosts are read as libpq reads them, and one that accepts writes is looked for",
        arguments: [
            "postgresql://a:1,b,c:3/chat", "host=a,b,c port=1,,3 dbname=chat",
        ]
    )
    func several(text: String) throws {
        let configuration = try PostgresConfiguration(connectionString: text)
        #expect(
            configuration.hosts == [
                DatabaseHost(host: "a", port: "1"), DatabaseHost(host: "b"),
                DatabaseHost(host: "c", port: "3"),
            ]
        )
        #expect(configuration.parameters["target_session_attrs"] == "read-write")
    }

    @Test("one port is the port of all hosts, and one host keeps its attributes")
    func shared() throws {
        let two = try PostgresConfiguration(connectionString: "hostaddr=10.0.0.1,10.0.0.2 port=7")
        #expect(two.hosts.map(\.address) == ["10.0.0.1", "10.0.0.2"])
        #expect(two.hosts.map(\.port) == ["7", "7"])
        let one = try PostgresConfiguration(connectionString: "host=a")
        #expect(one.parameters["target_session_attrs"] == nil)
    }

    @Test("the server that accepted the last connection is tried first, a silent one last")
    func order() {
        let (a, b, c) = (
            DatabaseHost(host: "a"), DatabaseHost(host: "b"), DatabaseHost(host: "c")
        )
        let order = HostOrder([a, b, c])
        order.accepted(b)
        #expect(order.hosts == [b, a, c])
        order.wasSilent(b)
        #expect(order.hosts == [a, c, b])
        order.accepted(DatabaseHost(host: "unknown"))
        #expect(order.hosts == [a, c, b])
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
        arguments: [
            "nonsense", "postgresql://h/d?colour=red", "host='", "host=a,b port=1,2,3",
            "host=a,b hostaddr=10.0.0.1", "host=a,b target_session_attrs=standby",
        ]
    )
    func refused(text: String) {
        #expect(throws: PostgresError.self) { try PostgresConfiguration(connectionString: text) }
    }
}
