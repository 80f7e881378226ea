// `stoa-bench`: loads a running server, or the engine alone, and prints figures as lines of "name value".
// Benchmarks/run.sh starts the server, runs this beside pgbench, and writes the table.

import ArgumentParser

@main
struct StoaBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stoa-bench",
        abstract: "Measure Stoa.",
        subcommands: [
            TurnsBenchmark.self, WholeTurnsBenchmark.self, FanOutBenchmark.self,
            EngineBenchmark.self, QualityBenchmark.self, FormsBenchmark.self, StoreBenchmark.self,
            InstantServer.self,
            FairnessBenchmark.self, StopsBenchmark.self, RevocationsBenchmark.self,
            LoginStormBenchmark.self, NotificationsBenchmark.self,
            SignInTimingBenchmark.self,
            SearchBenchmark.self, AnswersBenchmark.self,
            TransferFileBenchmark.self,
            StreamsBenchmark.self, InstantRemoteEngine.self,
            GatewayBenchmark.self, IdleConnectionsBenchmark.self, SlowConsumerBenchmark.self,
            SiteBenchmark.self, SiteCheck.self, SitePlanCommand.self, SiteSimulationCommand.self,
        ]
    )
}

/// The server, and the user to sign in as.
struct ServerOptions: ParsableArguments {
    @Option(help: "The server, such as http://127.0.0.1:8080.")
    var server: String

    @Option(help: "Who signs in.")
    var user: String

    @Option(help: "Their password.")
    var password: String
}
