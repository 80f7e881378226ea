import Postgres
import Testing

/// Resolving of host names before libpq uses them.
@Suite("Host resolver")
struct HostResolverTests {
    @Test("a name is resolved to addresses, each with the name")
    func name() async throws {
        let result = try await HostResolver.resolve(["host": "localhost", "port": "5432"])
        let addresses = try #require(result["hostaddr"]).split(separator: ",")
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        #expect(result["host"]?.split(separator: ",").count == addresses.count)
        #expect(result["port"] == "5432")
    }

    @Test(
        "parameters that need no lookup are unchanged",
        arguments: [
            ["host": "/run/postgresql"], [:], ["host": "a,b"], ["host": ""],
            ["host": "name", "hostaddr": "10.0.0.1"],
        ]
    )
    func untouched(parameters: [String: String]) async throws {
        #expect(try await HostResolver.resolve(parameters) == parameters)
    }

    @Test("an unknown name is an error")
    func unknown() async {
        await #expect(throws: PostgresError.self) {
            try await HostResolver.resolve(["host": "nowhere.invalid"])
        }
    }
}
