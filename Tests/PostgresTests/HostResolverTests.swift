import Postgres
import Testing

/// Host names before libpq sees them.
@Suite("Host resolver")
struct HostResolverTests {
    @Test("a name becomes addresses, each with the name beside it")
    func name() async throws {
        let result = try await HostResolver.resolve(["host": "localhost", "port": "5432"])
        let addresses = try #require(result["hostaddr"]).split(separator: ",")
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        #expect(result["host"]?.split(separator: ",").count == addresses.count)
        #expect(result["port"] == "5432")
    }

    @Test(
        "what needs no lookup stays as it is",
        arguments: [
            ["host": "/run/postgresql"], [:], ["host": "a,b"], ["host": ""],
            ["host": "name", "hostaddr": "10.0.0.1"],
        ]
    )
    func untouched(parameters: [String: String]) async throws {
        #expect(try await HostResolver.resolve(parameters) == parameters)
    }

    @Test("a name that nobody knows is an error")
    func unknown() async {
        await #expect(throws: PostgresError.self) {
            try await HostResolver.resolve(["host": "nowhere.invalid"])
        }
    }
}
