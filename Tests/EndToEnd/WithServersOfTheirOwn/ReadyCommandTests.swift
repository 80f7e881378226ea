// `stoa ready`, which health checks use.

import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("stoa ready")
    struct ReadyCommandTests {
        @Test("tells whether the server takes requests, also by its exit status")
        func ready() throws {
            let server = try StoaServer()
            let url = server.origin
            let up = try server.command(["ready", "--server", url])
            #expect(up.end == .exited(0))
            #expect(up.output == "ready\n")

            try server.kill()
            let down = try server.command(["ready", "--server", url, "--timeout", "2"])
            #expect(down.end == .exited(69))
            #expect(down.errors.contains("cannot reach \(url)"), "\(down.errors)")
        }
    }
}
