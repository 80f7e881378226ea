// Sign-ins are stored by server and user, and only their owner can read them.

import ChatClient
import Glibc
import HTTPProtocol
import TestSupport
import Testing
import stoa

@Suite("Profiles")
struct ProfileStoreTests {
    private static func store(_ folder: TemporaryFolder) throws -> ProfileStore {
        try #require(ProfileStore(environment: ["XDG_CONFIG_HOME": folder.path]))
    }

    private static func server(_ port: Int) throws -> HTTPOrigin {
        try #require(HTTPOrigin("http://127.0.0.1:\(port)"))
    }

    @Test("a token is found by its server and user only")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        let (home, other) = (try Self.server(8080), try Self.server(8081))
        #expect(store.profile(at: home, user: "ada") == nil)
        try store.save("t1", for: home, user: "ada")
        #expect(store.profile(at: home, user: nil)?.token == "t1")
        try store.save("t2", for: home, user: "grace")
        #expect(store.profile(at: home, user: "ada")?.token == "t1")
        #expect(store.profile(at: home, user: "grace")?.token == "t2")
        #expect(store.profile(at: other, user: "ada") == nil)
        try store.save("t3", for: home, user: "ada")
        #expect(store.profile(at: home, user: "ada")?.token == "t3")
        try store.remove("ada@127.0.0.1:8080")
        #expect(store.profile(at: home, user: "ada") == nil)
    }

    @Test("the latest sign-in is current, and another one when it is removed")
    func current() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        let (home, other) = (try Self.server(8080), try Self.server(8081))
        try store.save("t1", for: home, user: "ada")
        #expect(store.current?.name == "ada@127.0.0.1:8080")
        let work = Profile(name: "work", server: other, user: "ada", token: "t2")
        try store.save(work, isCurrent: true)
        #expect(store.current == work)
        #expect(store.profile(named: "work") == work)
        try store.save("t3", for: home, user: "ada")
        #expect(store.current == work)
        try store.remove("work")
        #expect(store.current?.token == "t3")
    }

    @Test("an option names a server, a profile or nothing; the environment's token counts most")
    func choice() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        let (home, other) = (try Self.server(8080), try Self.server(8081))
        try store.save(
            Profile(name: "work", server: other, user: "ada", token: "t1"),
            isCurrent: true
        )
        let environment = ["XDG_CONFIG_HOME": folder.path]
        func choose(
            _ server: String?,
            _ user: String? = nil,
            _ more: [String: String] = [:]
        ) throws -> ServerChoice {
            try ServerChoice(
                server: server,
                user: user,
                environment: environment.merging(more) { $1 }
            )
        }
        #expect(try choose(nil).server == other)
        #expect(try choose(nil).user == "ada")
        #expect(try choose("work").token == "t1")
        #expect(try choose("work", "bo").token == nil)
        #expect(try choose("work", "bo").server == other)
        #expect(try choose("http://127.0.0.1:8080").token == nil)
        #expect(try choose("http://127.0.0.1:8080").server == home)
        #expect(try choose(nil, nil, ["STOA_SERVER": "http://127.0.0.1:8080"]).server == home)
        #expect(try choose(nil, nil, ["STOA_TOKEN": "t9"]).token == "t9")
        #expect(try choose(nil, nil, ["STOA_TOKEN": "t9"]).profile == nil)
        #expect(throws: (any Error).self) { try choose("no profile") }
    }

    @Test("only the owner can access the file and its folder")
    func modes() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        try store.save("t1", for: try Self.server(8080), user: "ada")
        for (name, mode) in [("stoa", 0o700), ("stoa/profiles.json", 0o600)] as [(String, mode_t)] {
            var status = stat()
            #expect(stat("\(folder.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
        }
    }

    @Test("without a home directory there is no store")
    func homeless() {
        #expect(ProfileStore(environment: [:]) == nil)
    }
}
