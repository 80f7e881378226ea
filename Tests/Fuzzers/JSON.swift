// A client's request: it is one, or it gets a refusal that the client can read.

import ChatProtocol

/// Reads a request. What libFuzzer calls for each input.
@c(LLVMFuzzerTestOneInput)
public func readRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(FuzzerInput(start, count).raw)
    do throws(RefusedFrame) {
        _ = try ClientRequest.parse(text).operation
    } catch {
        let reply = WireEncoding.reply(error.id, error: error.error)
        let frame = try? ServerFrame.parse(reply)
        guard case .reply(let id, .failure(let told))? = frame else {
            preconditionFailure("a refusal that no client can read")
        }
        precondition(id == error.id && told == error.error, "another refusal")
    }
    return 0
}
