// Whether the time of a failed sign-in reveals that a name exists: samples of known and unknown names,
// each with a wrong password, and how well the two can be told apart.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol

struct SignInTimingBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in-timing",
        abstract: "Time failed sign-ins of known and of unknown names.",
        discussion: """
            Known are storm-0, storm-1 and so on. The server must run with --trusted-proxies 127.0.0.1: \
            each sample names an address of its own, or the limits would end the measurement.
            """
    )

    @Option(help: "The server, such as http://127.0.0.1:8080.") var server: String
    @Option(help: "Samples, of both kinds together.") var samples = 2000
    @Option(help: "How many of the known names there are.") var accounts = 200

    func run() async throws {
        guard let server = HTTPOrigin(server) else {
            throw ValidationError("not a server's URL")
        }
        let (count, accounts) = (samples, accounts)
        let times = try await EventLoop.run { loop in
            var client = HTTPClient(loop: loop, server: server)
            client.timeout = .seconds(60)
            var times: (known: [Double], unknown: [Double]) = ([], [])
            for number in 0..<count {
                // In random order, so that drifts over time affect both kinds.
                let isKnown = Bool.random()
                let name = isKnown ? "storm-\(number % accounts)" : "nobody-\(number)"
                let body = SignInRequest(username: name, password: "wrong password \(number)")
                let address = "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
                let start = loop.now
                let reply = try await client.post(
                    "/api/v1/session",
                    json: WireEncoding.text(body),
                    headers: ["X-Forwarded-For": address]
                )
                guard reply.status.code == 401 else { continue }
                let took = (loop.now - start).inSeconds
                if isKnown { times.known.append(took) } else { times.unknown.append(took) }
            }
            return times
        }
        report("timing_samples", Double(times.known.count + times.unknown.count))
        report("timing_known_p50_ms", times.known.sorted()[times.known.count / 2] * 1000)
        report("timing_unknown_p50_ms", times.unknown.sorted()[times.unknown.count / 2] * 1000)
        let difference = Self.difference(times.known, times.unknown)
        report("timing_told_apart", difference.share)
        report("timing_z", difference.z)
    }

    /// How often a known name takes longer than an unknown one, 0.5 if they are indistinguishable,
    /// and the distance from chance in standard deviations (Mann and Whitney's U).
    private static func difference(
        _ known: [Double],
        _ unknown: [Double]
    ) -> (share: Double, z: Double) {
        let ranked = (known.map { ($0, true) } + unknown.map { ($0, false) }).sorted {
            $0.0 < $1.0
        }
        var sum = 0.0
        for (rank, entry) in ranked.enumerated() where entry.1 { sum += Double(rank + 1) }
        let (m, n) = (Double(known.count), Double(unknown.count))
        let u = sum - m * (m + 1) / 2
        return (u / (m * n), (u - m * n / 2) / (m * n * (m + n + 1) / 12).squareRoot())
    }
}
