// Share links to a fixed state, over two servers on one database.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Snapshot links")
    struct Snapshots {
        @Test("a snapshot's reader is told of deletions alone, on any server, until it is revoked")
        func reader() throws {
            let first = try StoaServer()
            try first.addUser("ada")
            let second = try StoaServer(beside: first)
            defer { withExtendedLifetime((first, second)) {} }
            let ada = try first.connect(first.signIn("ada"))
            let place = try ada.createConversation(title: "Bread")
            var mirror = try ada.watch(place)
            _ = try ada.ask("What is 2 + 3?", in: place, &mirror)
            let shown = try ada.messages(of: place).map(\.id)
            try ada.send(
                text: #"{"id":900,"op":"share.create","conversation":"\#(place)","kind":"frozen"}"#
            )
            let refused = try ada.reply(to: 900)
            if case .failure(let error) = refused {
                #expect(error.code == .badRequest && error.message.contains("kind"))
            } else {
                Issue.record("an unknown kind was accepted")
            }
            let made: ShareReply = try ada.call(
                .shareCreate,
                ShareCreateRequest(conversation: place, kind: .snapshot)
            )
            let readers = try [first, second].map { try Peer($0) }
            let watch = ShareWatchRequest(token: made.token)
            for reader in readers {
                let reply: ShareWatchReply = try reader.call(.shareWatch, watch)
                #expect(reply.page.messages.map(\.id) == shown)
                #expect(reply.page.asOf == made.share.createdAt)
            }

            _ = try ada.ask("Tell me a long story.", in: place, &mirror)
            let rename = ConversationUpdateRequest(conversation: place, title: "Rye")
            _ = try ada.call(.conversationUpdate, rename, as: ConversationReply.self)
            _ = try ada.ask("What is 4 + 5?", in: place, &mirror)
            // Somebody who comes now sees the same, by both ways.
            let late: ShareWatchReply = try Peer(second).call(.shareWatch, watch)
            #expect(late.page.messages.map(\.id) == shown)
            #expect(late.page.title == "Bread" && late.growing.isEmpty)
            func page(_ server: StoaServer) throws -> HTTPAnswer {
                try HTTPCall.send(.get, "/api/v1/shared/\(made.token)", port: server.port)
            }
            let fetched = try page(second).decode(as: SharedPage.self)
            #expect(fetched.messages == late.page.messages && fetched.asOf == late.page.asOf)

            // The first that any reader hears of all that: events come in order.
            let deletion = MessageDeleteRequest(conversation: place, message: shown[1])
            _ = try ada.call(.messageDelete, deletion, as: MessageDeleteReply.self)
            for reader in readers {
                guard case .shareChanged(let change) = try reader.nextEvent() else {
                    Issue.record("a snapshot's reader was told of something else")
                    continue
                }
                #expect(change.title == "Bread" && change.messages.isEmpty)
                #expect(change.removed == [shown[1]])
            }
            #expect(try page(second).decode(as: SharedPage.self).messages.map(\.id) == [shown[0]])

            let revocation = ShareRevokeRequest(conversation: place, share: made.share.id)
            _ = try ada.call(.shareRevoke, revocation, as: EmptyReply.self)
            for reader in readers {
                let code = try reader.closeCode(within: .seconds(5))
                #expect(code == CloseCode.linkEnded.rawValue)
            }
            #expect(try page(first).status == 404)
        }
    }
}
