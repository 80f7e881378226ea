// A safetensors file: its header, and the first and last byte of each tensor.

import Checkpoints

/// Reads a safetensors header. What libFuzzer calls for each input.
@c(LLVMFuzzerTestOneInput)
public func readSafetensors(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let file = FuzzerInput(start, count).raw
    do throws(CheckpointError) {
        let header = try SafetensorsHeader(parsing: file, path: "model.safetensors")
        for entry in header.entries where !entry.byteRange.isEmpty {
            sink = file[entry.byteRange.lowerBound] ^ file[entry.byteRange.upperBound - 1]
        }
    } catch {
        precondition(error.description.contains("model.safetensors"), "an error names its file")
    }
    return 0
}

/// Keeps reads from being optimized away.
nonisolated(unsafe) private var sink: UInt8 = 0
