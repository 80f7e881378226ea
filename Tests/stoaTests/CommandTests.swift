// Parsing of command lines, and their error messages.

import ArgumentParser
import Testing
import Tokenizers
import stoa

@Suite("The command line")
struct CommandTests {
    @Test(
        "an invalid call is a usage error",
        arguments: [
            ["nonsense"],
            ["generate"],
            ["generate", "--prompt", "a", "--messages", "-"],
            ["generate", "--prompt", "a", "--temperature", "3"],
            ["generate", "--prompt", "a", "--max-tokens", "0"],
            ["generate", "--prompt", "a", "--seed", "-1"],
            ["chat", "--new", "0190b6c0-0000-7000-8000-000000000000"],
            ["ask", "x", "--continue", "--conversation", "tea"],
            ["ask", "x", "--continue", "--model", "phi-4"],
            ["send"],
            ["tail", "tea", "--from", "7"],
            ["tail", "tea", "--messages", "-1"],
            ["list", "--limit", "0"],
            ["search"],
            ["login", "--token-stdin", "--password-stdin"],
            ["login", "--profile", "a:b"],
            ["user", "add"],
            ["version", "more"],
            ["ready", "--timeout", "0"],
            ["admin", "runs", "stop", "7"],
            ["top", "all"],
            ["admin", "models", "unload"],
            ["admin", "runs", "list", "--limit", "0"],
            ["admin", "audit", "--from", "yesterday"],
            ["admin", "audit", "--team", "x"],
            ["admin", "users", "disable"],
            ["admin", "users", "revoke", "ann", "--session", "7"],
        ]
    )
    func wrongCalls(arguments: [String]) {
        do {
            _ = try Stoa.parseAsRoot(arguments)
            Issue.record("\(arguments) was taken")
        } catch {
            #expect(Stoa.exitCode(for: error).rawValue == 64)
        }
    }

    @Test(
        "valid calls are accepted",
        arguments: [
            ["serve", "--port", "8081", "--model", "x"],
            ["user", "add", "ada", "--admin", "--password-stdin"],
            ["migrate", "--data-dir", "x"],
            ["chat", "--server", "http://a", "--user", "ada", "--new"],
            ["chat", "tea with milk"],
            ["ask", "what", "is", "2", "+", "3?", "-c", "sums", "-f", "a.txt", "-f", "-", "-q"],
            ["tail", "tea", "-n", "0", "--json"],
            ["tail", "tea", "--from", "0190b6c0-0000-7000-8000-000000000000:12"],
            ["login", "http://a", "--user", "ada", "--profile", "home", "--device", "laptop"],
            ["generate", "--messages", "-", "--system", "x", "--seed", "7"],
            ["version"],
            ["bench", "engine", "--model", "x", "--help"],
            ["doctor", "--json", "--port", "8081"],
            ["admin", "users", "create", "ann", "--admin"],
            ["admin", "users", "list", "--query", "a", "--json"],
            ["top", "--once", "--json"],
            ["admin", "status", "--json", "--server", "http://a"],
            ["admin", "models", "list", "--json"],
            ["admin", "models", "unload", "phi-4", "--yes"],
            ["admin", "models", "default", "phi-4"],
            ["admin", "audit", "--from", "2026-11-22", "--to", "2026-11-22T09:30:00Z"],
            ["admin", "runs", "stop", "0190b6c0-0000-7000-8000-000000000000"],
        ]
    )
    func calls(arguments: [String]) throws {
        _ = try Stoa.parseAsRoot(arguments)
    }

    @Test("--version prints the version")
    func version() {
        do {
            _ = try Stoa.parseAsRoot(["--version"])
            Issue.record("--version was taken for a command")
        } catch {
            #expect(Stoa.exitCode(for: error) == .success)
            #expect(Stoa.fullMessage(for: error).hasPrefix("stoa "))
        }
    }

    @Test(
        "malformed messages give a one-line error",
        arguments: [
            "", "{}", "[]", "[1]", #"[{"role": "user"}]"#,
            #"[{"role": "user", "content": 1}]"#,
            #"[{"role": "wizard", "content": "x"}]"#, #"[{"role": "user", "content": "x"}"#,
        ]
    )
    func messages(text: String) {
        let error = #expect(throws: CommandFailure.self) {
            try MessagesInput.parse(Array(text.utf8))
        }
        #expect(error?.status == .dataError)
        #expect(error?.message.contains("\n") == false)
    }

    @Test("messages are read in order")
    func goodMessages() throws {
        let text = #"[{"role":"system","content":"a"},{"role":"user","content":"b","extra":1}]"#
        let messages = try MessagesInput.parse(Array(text.utf8))
        #expect(messages.map(\.role) == ["system", "user"])
        #expect(messages.map(\.content) == ["a", "b"])
    }
}
