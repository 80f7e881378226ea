// A client's request: it is parsed, or gets an error reply that clients can parse.

import ChatProtocol

/// Reads a request. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(FuzzerInput(start, count).raw)
    do throws(RefusedFrame) {
        _ = try ClientRequest.parse(text).operation
    } catch {
        let reply = WireEncoding.reply(error.id, error: error.error)
        let frame = try? ServerFrame.parse(reply)
        guard case .reply(let id, .failure(let told))? = frame else {
            preconditionFailure("an error reply that clients cannot parse")
        }
        precondition(id == error.id && told == error.error, "another error")
    }
    return 0
}
