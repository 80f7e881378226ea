// Models that do not fit into memory together, and settings that change while the server runs.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Models under one memory limit")
    struct ModelMemory {
        private static let token = "a-token-for-metrics"

        /// A server with copies of the demo model, each of which takes about 15 MiB.
        private static func server(
            _ folder: TemporaryFolder,
            _ names: [String],
            _ arguments: [String]
        ) throws -> StoaServer {
            let models = try names.flatMap {
                ["--model", try TheModels.copyDemo(to: "\(folder.path)/\($0)")]
            }
            let server = try StoaServer(
                models + arguments,
                environment: ["STOA_METRICS_TOKEN": token]
            )
            try server.addUser("ada", isAdmin: true)
            return server
        }

        /// The value of a metric with its labels; nil if there is no such line.
        private func figure(_ name: String, of server: StoaServer) throws -> Double? {
            let headers: HTTPHeaders = [.authorization: "Bearer \(Self.token)"]
            let text = try server.get("/metrics", headers: headers).text
            return text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
                .flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
        }

        /// Whether the server has mapped a model's weights.
        private func isMapped(_ model: String, by server: StoaServer) throws -> Bool {
            let process = try #require(server.process)
            let maps = try Data(contentsOf: URL(filePath: "/proc/\(process)/maps"))
            return String(decoding: maps, as: UTF8.self).contains("/\(model)/model.safetensors")
        }

        /// A conversation with a model, and a connection that watches it.
        private struct Talk {
            let peer: Peer
            let conversation: ConversationID
            var mirror: Mirror

            init(with model: String, on server: StoaServer, _ token: String) throws {
                peer = try server.connect(token)
                let request = ConversationCreateRequest(key: UUID().uuidString, model: model)
                conversation = try peer.call(
                    .conversationCreate,
                    request,
                    as: ConversationReply.self
                ).conversation.id
                mirror = try peer.watch(conversation)
            }

            mutating func ask(_ text: String) throws -> String {
                try peer.ask(text, in: conversation, &mirror)
            }

            func say(_ text: String) throws -> MessageID {
                try peer.say(text, in: conversation).answer.id
            }
        }

        @Test("the least recently used one leaves for a question to another, and comes back")
        func byUse() throws {
            let folder = try TemporaryFolder()
            let names = ["first", "second", "third"]
            let server = try Self.server(folder, names, ["--model-memory", "40"])
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            for name in ["first", "second"] { try ada.waitForModel(name, .ready) }
            try ada.waitForModel("third", .standby)
            #expect(try !isMapped("third", by: server))

            var talks = try names.map { try Talk(with: $0, on: server, token) }
            // The second is used last: the first leaves for the third, and the second for the first.
            for index in [0, 1, 2, 0] {
                #expect(try !talks[index].ask("Hello!").isEmpty)
                #expect(try isMapped(names[index], by: server))
            }
            try ada.waitForModel("second", .standby)
            #expect(try !isMapped("second", by: server))
            #expect(try figure("stoa_model_loads_total{model=\"first\"}", of: server) == 2)
            #expect(try figure("stoa_model_loads_total{model=\"third\"}", of: server) == 1)
            #expect(try figure("stoa_model_memory_limit_bytes", of: server) == Double(40 << 20))
            let taken = try ["first", "third"].map {
                try #require(try figure("stoa_model_memory_bytes{model=\"\($0)\"}", of: server))
            }
            #expect(taken.reduce(0, +) <= Double(40 << 20))
            // A model in standby can be chosen, and can become the default.
            let choice = ConversationUpdateRequest(
                conversation: talks[0].conversation,
                model: "second"
            )
            _ = try ada.call(.conversationUpdate, choice, as: ConversationReply.self)
            #expect(try !talks[0].ask("And now?").isEmpty)
            #expect(try isMapped("second", by: server))
        }

        @Test("a question waits for a model that answers, is told so, and is answered after it")
        func waiting() throws {
            let folder = try TemporaryFolder()
            let server = try Self.server(folder, ["first", "second"], ["--model-memory", "20"])
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            try ada.waitForModel("first", .ready)
            try ada.waitForModel("second", .standby)
            var (first, second) = (
                try Talk(with: "first", on: server, token),
                try Talk(with: "second", on: server, token)
            )
            let long = try first.say("Tell me a long story.")
            let next = try second.say("Hello!")
            var told: Set<Model.State> = []
            while second.mirror.state(of: next)?.isFinal != true {
                let event = try second.peer.nextEvent()
                if case .messageQueued(let queued) = event, queued.message == next,
                    let state = queued.model?.state
                {
                    told.insert(state)
                }
                try second.mirror.take(event)
            }
            #expect(second.mirror.state(of: next) == .complete)
            try first.peer.follow(&first.mirror, until: long)
            #expect(first.mirror.state(of: long) == .complete)
            #expect(told.contains(.standby), "\(told)")
            try ada.waitForModel("first", .standby)
        }

        @Test("a model that takes more than the limit is refused with the numbers")
        func tooLarge() throws {
            let folder = try TemporaryFolder()
            let server = try Self.server(folder, ["first"], ["--model-memory", "8"])
            let ada = try server.connect(server.signIn("ada"))
            try ada.waitForModel("first", .failed)
            let list: ModelListReply = try ada.call(.modelList)
            let reason = try #require(list.models.first?.reason)
            #expect(reason.contains("--model-memory"), "\(reason)")
            #expect(list.models.first?.reasonCode?.code == "exceeds_memory")
        }

        @Test("a request of OpenAI's API loads the model that it names")
        func completion() throws {
            let folder = try TemporaryFolder()
            let server = try Self.server(folder, ["first", "second"], ["--model-memory", "20"])
            let ada = try server.connect(server.signIn("ada"))
            try ada.waitForModel("second", .standby)
            let key = try server.key([.complete], of: server.signIn("ada"))
            for name in ["second", "first"] {
                var body = CompletionBody("Hello!")
                body.model = name
                let answer = try server.complete(body, key)
                #expect(answer.status == 200, "\(answer.text)")
                try ada.waitForModel(name, .ready)
            }
        }

        @Test("SIGHUP changes threads and limit while an answer runs")
        func reload() throws {
            let folder = try TemporaryFolder()
            let config = "\(folder.path)/stoa.json"
            func write(_ threads: Int, _ mebibytes: Int) throws {
                try Data("{\"threads\": \(threads), \"model-memory\": \(mebibytes)}".utf8)
                    .write(to: URL(filePath: config))
            }
            try write(1, 40)
            let names = ["first", "second"]
            let server = try Self.server(folder, names, ["--config", config])
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            for name in names { try ada.waitForModel(name, .ready) }
            #expect(try figure("stoa_compute_threads", of: server) == 1)
            var talk = try Talk(with: "first", on: server, token)
            let answer = try talk.say("Tell me a long story.")
            try write(3, 20)
            server.hangUp()
            try eventually("the idle one leaves") {
                let list: ModelListReply = try ada.call(.modelList)
                return list.models.last?.state == .standby
            }
            #expect(try figure("stoa_compute_threads", of: server) == 3)
            try talk.peer.follow(&talk.mirror, until: answer)
            #expect(talk.mirror.state(of: answer) == .complete)
            try write(0, 1 << 30)
            server.hangUp()
            try eventually("it is refused") { server.log.contains("reading the settings failed") }
            #expect(try figure("stoa_compute_threads", of: server) == 3)
        }
    }
}
