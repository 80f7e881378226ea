// Tokens are stored by server and name, and only their owner can read them.

import ChatClient
import Glibc
import HTTPProtocol
import TestSupport
import Testing
import stoa

@Suite("Stored tokens")
struct TokenStoreTests {
    @Test("a token is found by its server and name only")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let store = try #require(TokenStore(environment: ["XDG_STATE_HOME": folder.path]))
        let home = try #require(HTTPOrigin("http://127.0.0.1:8080"))
        let other = try #require(HTTPOrigin("http://127.0.0.1:8081"))
        #expect(store.token(for: home, user: "ada") == nil)
        try store.save("t1", for: home, user: "ada")
        #expect(store.token(for: home, user: nil)?.token == "t1")
        try store.save("t2", for: home, user: "grace")
        #expect(store.token(for: home, user: "ada")?.token == "t1")
        #expect(store.token(for: home, user: nil) == nil)
        #expect(store.token(for: other, user: "ada") == nil)
        try store.save(nil, for: home, user: "ada")
        #expect(store.token(for: home, user: "ada") == nil)
    }

    @Test("only the owner can access the file and its folder")
    func modes() throws {
        let folder = try TemporaryFolder()
        let store = try #require(TokenStore(environment: ["XDG_STATE_HOME": folder.path]))
        let server = try #require(HTTPOrigin("http://127.0.0.1:8080"))
        try store.save("t1", for: server, user: "ada")
        for (name, mode) in [("stoa", 0o700), ("stoa/tokens.json", 0o600)] as [(String, mode_t)] {
            var status = stat()
            #expect(stat("\(folder.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
        }
    }

    @Test("without a home directory there is no store")
    func homeless() {
        #expect(TokenStore(environment: [:]) == nil)
    }
}
