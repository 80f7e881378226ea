// Deflate, unpacked: however it is cut, it says the same. And packed: what goes in comes out.

import Deflate

/// Unpacks and packs; the first byte says how. What libFuzzer calls for each input.
@c(LLVMFuzzerTestOneInput)
public func unpack(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    guard let byte = bytes.first, count > 1 else { return 0 }
    let first = Int(byte)
    let rest = Array(bytes.dropFirst())
    let whole = Reading(rest, inPiecesOf: rest.count, outOf: 1 << 14)
    let cut = Reading(rest, inPiecesOf: 1 + first % 5, outOf: 1 + first)
    precondition(whole.output == cut.output, "pieces matter")
    // What is beyond the limit is read by neither to its end.
    if whole.output.count < byteCountMax {
        precondition(whole == cut, "pieces matter to the end")
    }

    guard
        let deflater = try? Deflater(
            level: 1 + first % 9,
            windowBits: 9 + first % 7,
            memoryLevel: 1 + first / 9 % 9
        )
    else { return 0 }
    let packed = deflater.pack(rest[...]) + deflater.pack(rest[...])
    let unpacked = Reading(packed, inPiecesOf: 1 + first, outOf: 1 << 14)
    precondition(unpacked.output == rest + rest, "what came out is not what went in")
    precondition(unpacked.isBetweenBlocks && !unpacked.isMalformed, "packed wrongly")
    return 0
}

private let byteCountMax = 1 << 13

/// What deflated bytes unpack to, up to a limit.
private struct Reading: Equatable {
    var output: [UInt8] = []
    var isMalformed = false
    var isBetweenBlocks = false

    init(_ bytes: [UInt8], inPiecesOf count: Int, outOf capacity: Int) {
        guard let inflater = try? Inflater(windowBits: 15) else { return }
        do throws(DeflateError) {
            for piece in pieces(bytes, of: count) {
                var rest = piece
                while !rest.isEmpty || inflater.holdsMore, output.count < byteCountMax {
                    if inflater.isAtEnd { inflater.goOn() }
                    output += try inflater.next(&rest, atMost: capacity)
                }
            }
        } catch {
            isMalformed = true
        }
        output = Array(output.prefix(byteCountMax))
        isBetweenBlocks = inflater.isBetweenBlocks
    }
}
