// `stoa-echo`: the gateway without a chat. /echo returns every message, /broadcast sends each to
// all connected clients. For conformance suites and benchmarks (Benchmarks/gateway.sh).

import ArgumentParser
import EventLoop
import Glibc
import TLSEngine

@main
struct StoaEcho: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stoa-echo",
        abstract: "Serve WebSockets: /echo returns every message, /broadcast sends it to everyone.",
        discussion: "Prints a line with its address when it takes connections."
    )

    @Option(help: "Where to listen; 0 takes any free port.") var port: UInt16
    @Option(help: "Threads, each with connections of its own.") var loops = 1
    @Option(parsing: .upToNextOption, help: "Files of a certificate chain and its key: two paths.")
    var tls: [String] = []
    @Option(help: "Bytes of the longest message.") var maxMessage = 16 << 20
    @Flag(help: "Do not use io_uring.") var withoutIoUring = false
    @Option(help: "Bytes of broadcasts that may wait between loops.") var maxRelayed = 16 << 20

    func validate() throws {
        guard (1...256).contains(loops) else { throw ValidationError("--loops takes 1 to 256") }
        guard tls.isEmpty || tls.count == 2 else {
            throw ValidationError("--tls takes two paths: a certificate and its key")
        }
        guard (125...(1 << 30)).contains(maxMessage) else {
            throw ValidationError("--max-message takes 125 to 1073741824")
        }
        guard maxRelayed > 0 else { throw ValidationError("--max-relayed takes at least 1") }
    }

    func run() throws {
        _ = DescriptorLimit.raise()
        var settings = EchoSettings(
            messageBytesMax: maxMessage,
            relayedBytesMax: maxRelayed,
            loopCount: loops,
            usesIOUring: !withoutIoUring
        )
        if tls.count == 2 {
            settings.tls = try TLSServerConfiguration(certificateFile: tls[0], keyFile: tls[1])
        }
        let scheme = settings.tls == nil ? "ws" : "wss"
        try EchoLoops.run(port: port, settings) { port in
            print("ready \(scheme)://127.0.0.1:\(port)")
            fflush(nil)
        }
    }
}
