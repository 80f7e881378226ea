// Receipts: `stoa generate` writes one and repeats a run from it, also from a receipt that a server
// stored.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.OneServer {
    @Test("a run is repeated from its receipt, and the first different token is named")
    func replay() throws {
        let server = try SharedServer.server()
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/run.json"
        let (end, answer, errors) = try server.command([
            "generate", "--prompt", "What is the capital of Finland?", "--receipt", path,
        ])
        #expect(end == .exited(0), "\(errors)")
        #expect(answer.contains("Helsinki"))
        let same = try server.command(["generate", "--replay", path])
        #expect(same.end == .exited(0))
        #expect(same.output.hasPrefix("the same "))
        #expect(same.errors.isEmpty, "\(same.errors)")

        let data = try Data(contentsOf: URL(filePath: path))
        var receipt = try JSONDecoder().decode([String: JSON].self, from: data)
        guard case .object(var written)? = receipt["answer"],
            case .object(var model)? = receipt["model"]
        else {
            Issue.record("\(receipt)")
            return
        }
        var ids = try #require(written["ids"]).elements
        ids[1] = 7
        written["ids"] = .array(ids)
        model["hash"] = "another"
        receipt["answer"] = .object(written)
        receipt["model"] = .object(model)
        try folder.write("changed.json", Array(try JSONEncoder().encode(receipt)))
        let other = try server.command(["generate", "--replay", "\(folder.path)/changed.json"])
        #expect(other.end == .exited(1))
        #expect(other.output.hasPrefix("token 2 differs: 7 "), "\(other.output)")
        #expect(other.errors.contains("model"), "\(other.errors)")
    }

    @Test("a server's receipt is visible to members, and its run can be repeated, too")
    func serverReceipt() throws {
        let server = try SharedServer.server()
        let owner = try connect("gus")
        let conversation = try owner.createConversation()
        var mirror = try owner.watch(conversation)
        let answer = try owner.say("Who are you?", in: conversation).answer.id
        try owner.follow(&mirror, until: answer)
        func receipt(for user: String) throws -> HTTPAnswer {
            let token = try #require(SharedServer.tokens[user])
            return try server.get(
                "/api/v1/conversations/\(conversation)/messages/\(answer)/receipt",
                headers: [.authorization: "Bearer \(token)"]
            )
        }
        _ = try connect("ivy")
        #expect(try receipt(for: "ivy").status == 404)
        let stored = try receipt(for: "gus")
        #expect(stored.status == 200)
        #expect(try stored.decode(as: JSON.self)["entries"].elements.isEmpty == false)

        let folder = try TemporaryFolder()
        try folder.write("receipt.json", stored.body)
        let prompt = try owner.call(
            .conversationGet,
            ConversationRequest(conversation: conversation),
            as: ConversationReply.self
        ).conversation.systemPrompt
        let replay = try server.command([
            "generate", "--replay", "\(folder.path)/receipt.json", "--prompt", "Who are you?",
            "--system", prompt ?? "",
        ])
        #expect(replay.end == .exited(0), "\(replay.errors)")
    }
}
