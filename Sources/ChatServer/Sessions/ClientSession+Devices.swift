// Operations on devices that wait to be signed in by a code.

import ChatProtocol
import ChatStore

extension ClientSession {
    func findDevice(_ request: DeviceFindRequest) async throws -> WaitingDevice {
        try requireNoKey()
        return try await server.deviceSignIns.find(request.userCode, by: user)
    }

    func answerDevice(_ request: DeviceAnswerRequest) async throws -> EmptyReply {
        try requireNoKey()
        try await server.deviceSignIns.answer(
            request.userCode,
            isConfirmed: request.isConfirmed,
            by: user
        )
        return EmptyReply()
    }

    /// A sign-in may do everything, so a key, which may do less, cannot make one.
    private func requireNoKey() throws(WireError) {
        guard !signedIn.isKey else {
            throw WireError(.forbidden, "an API key cannot sign devices in: use the page")
        }
    }
}
