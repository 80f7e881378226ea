import Postgres
import Testing

/// Resolving of host names before libpq uses them.
@Suite("Host resolver")
struct HostResolverTests {
    @Test("a name is resolved to addresses, each with the name and the port")
    func name() async throws {
        let found = try await HostResolver.resolve(DatabaseHost(host: "localhost", port: "5433"))
        let addresses = found.map(\.address)
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        #expect(found.allSatisfy { $0.host == "localhost" && $0.port == "5433" })
    }

    @Test(
        "hosts that need no lookup are unchanged",
        arguments: [
            DatabaseHost(host: "/run/postgresql"), DatabaseHost(host: nil),
            DatabaseHost(host: "name", address: "10.0.0.1"),
        ]
    )
    func untouched(host: DatabaseHost) async throws {
        #expect(try await HostResolver.resolve(host) == [host])
    }

    @Test("an unknown name is an error")
    func unknown() async {
        await #expect(throws: PostgresError.self) {
            try await HostResolver.resolve(DatabaseHost(host: "nowhere.invalid"))
        }
    }
}
