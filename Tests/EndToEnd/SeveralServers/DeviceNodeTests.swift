// Signing in by a link and a code where the terminal and the page reach different nodes.

import ChatProtocol
import Testing

extension EndToEnd.SeveralServers {
    @Suite("Devices on several nodes")
    struct DeviceNodes {
        @Test("a device that begins on one node is confirmed on another, and signed in by a third")
        func deviceOnSeveralNodes() throws {
            let first = try StoaServer([])
            defer { withExtendedLifetime(first) {} }
            try first.addUser("ada")
            let others = try (0..<2).map { _ in try StoaServer(beside: first, []) }
            let codes = try first.beginDevice()
            #expect(try others[1].pollDevice(codes).grantError == .authorizationPending)
            // The interval counts whichever node is asked.
            #expect(try first.pollDevice(codes).grantError == .slowDown)
            let peer = try others[0].connect(first.signIn("ada"))
            let confirmed = DeviceAnswerRequest(userCode: codes.userCode, isConfirmed: true)
            _ = try peer.call(.deviceAnswer, confirmed, as: EmptyReply.self)
            let reply = try others[1].pollDevice(codes).decode(as: DeviceTokenReply.self)
            #expect(reply.user.name == "ada")
            #expect(try first.pollDevice(codes).grantError == .invalidGrant)
            _ = try first.connect(reply.accessToken).call(.ping, as: PingReply.self)
        }
    }
}
