// A PROXY header: the result does not depend on how it is split, and nothing after it is read.

import Networking

/// Reads a header. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readProxyHeader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = FuzzerInput(start, count).raw
    let whole = Reading(bytes, inPiecesOf: max(1, count))
    precondition(
        Reading(bytes, inPiecesOf: 1 + count % 5) == whole,
        "the result depends on the split"
    )
    guard let source = whole.source else { return 0 }
    if bytes[0] == UInt8(ascii: "P") {
        let line = bytes[..<whole.byteCount]
        precondition(line.suffix(2).elementsEqual([0x0D, 0x0A]), "not the end of the line")
        precondition(line.filter { $0 == 0x0A }.count == 1, "more than a line")
        precondition(line.count <= 107, "too long a line")
    } else {
        let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        precondition(whole.byteCount == length, "not the length in the header")
    }
    precondition(whole.byteCount <= ProxyHeaderReader.byteCountMax, "too long")
    if case .client(let address) = source {
        precondition(SocketAddress(address.description) == address, "an invalid address")
    }
    return 0
}

/// The result of a reader.
private struct Reading: Equatable {
    var source: ProxyHeaderReader.Source?
    var error: ProxyHeaderError?
    /// The length of the header in bytes, if it is valid.
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
