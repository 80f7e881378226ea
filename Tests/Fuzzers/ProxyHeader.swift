// A PROXY header: however it is cut, it says the same, and nothing behind it is asked for.

import Networking

/// Reads a header. What libFuzzer calls for each input.
@c(LLVMFuzzerTestOneInput)
public func readProxyHeader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = FuzzerInput(start, count).raw
    let whole = Reading(bytes, inPiecesOf: max(1, count))
    precondition(Reading(bytes, inPiecesOf: 1 + count % 5) == whole, "pieces matter")
    guard let source = whole.source else { return 0 }
    let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
    precondition(whole.byteCount == length, "another length than it says")
    precondition(length <= ProxyHeaderReader.byteCountMax, "too long")
    if case .client(let address) = source {
        precondition(SocketAddress(address.description) == address, "an address that is none")
    }
    return 0
}

/// What a reader makes of the bytes.
private struct Reading: Equatable {
    var source: ProxyHeaderReader.Source?
    var error: ProxyHeaderError?
    /// How many bytes the header has, where it is one.
    var byteCount = 0

    init(_ bytes: UnsafeRawBufferPointer, inPiecesOf count: Int) {
        var reader = ProxyHeaderReader()
        var place = 0
        do throws(ProxyHeaderError) {
            while source == nil, place < bytes.count {
                let end = place + min(reader.byteCountWanted, count, bytes.count - place)
                source = try reader.receive(UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
                place = end
            }
        } catch {
            self.error = error
        }
        if source != nil { byteCount = place }
    }
}
