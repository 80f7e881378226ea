// `stoa ready`, which health checks use.

import Glibc
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
            let down = try server.command(["ready", "--server", url])
            #expect(down.end == .exited(69))
            #expect(down.errors.contains("cannot reach \(url)"), "\(down.errors)")
        }

        @Test("waits no longer than it is told")
        func timeout() throws {
            let server = try StoaServer()
            let (silent, port) = try listeningSocket()
            defer { close(silent) }
            let url = "http://127.0.0.1:\(port)"
            let end = try server.command(["ready", "--server", url, "--timeout", "1"])
            #expect(end.end == .exited(69))
            #expect(end.errors.contains("did not answer in time"), "\(end.errors)")
        }
    }
}
