// Deflate. Decompression does not depend on how the input is split, and reverses compression.

import Deflate

/// Decompresses and compresses; the first byte selects the parameters. Called by libFuzzer for each
/// input.
@c(LLVMFuzzerTestOneInput)
public func decompress(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    guard let byte = bytes.first, count > 1 else { return 0 }
    let first = Int(byte)
    let rest = Array(bytes.dropFirst())
    let whole = Reading(rest, inPiecesOf: rest.count, outOf: 1 << 14)
    let cut = Reading(rest, inPiecesOf: 1 + first % 5, outOf: 1 + first)
    precondition(whole.output == cut.output, "the result depends on the split")
    // Both stop at the limit.
    if whole.output.count < byteCountMax {
        precondition(whole == cut, "the final state depends on the split")
    }

    guard
        let deflater = try? Deflater(
            level: 1 + first % 9,
            windowBits: 9 + first % 7,
            memoryLevel: 1 + first / 9 % 9
        )
    else { return 0 }
    let compressed = deflater.compress(rest[...]) + deflater.compress(rest[...])
    let decompressed = Reading(compressed, inPiecesOf: 1 + first, outOf: 1 << 14)
    precondition(decompressed.output == rest + rest, "decompression does not reverse compression")
    precondition(
        decompressed.isBetweenBlocks && !decompressed.isMalformed,
        "invalid compressed data"
    )
    return 0
}

private let byteCountMax = 1 << 13

/// The decompressed bytes, up to a limit.
private struct Reading: Equatable {
    var output: [UInt8] = []
    var isMalformed = false
    var isBetweenBlocks = false

    init(_ bytes: [UInt8], inPiecesOf count: Int, outOf capacity: Int) {
        guard let inflater = try? Inflater(windowBits: 15) else { return }
        do throws(DeflateError) {
            for piece in pieces(bytes, of: count) {
                var rest = piece
                while !rest.isEmpty || inflater.hasPendingOutput, output.count < byteCountMax {
                    if inflater.isAtEnd { inflater.startNextStream() }
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
