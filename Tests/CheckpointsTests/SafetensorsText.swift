// Creates safetensors files for tests from header text and data bytes, valid or not.

/// The bytes of a safetensors file.
func safetensors(header: String, dataByteCount: Int) -> [UInt8] {
    let json = Array(header.utf8)
    let length = (0..<8).map { UInt8(truncatingIfNeeded: json.count >> (8 * $0)) }
    return length + json + (0..<dataByteCount).map { UInt8(truncatingIfNeeded: $0) }
}

/// A valid header of two tensors with 28 bytes of data; its length is odd, as in MLX's files.
let validHeader = #"""
    {"__metadata__":{"format":"mlx"},"b":{"dtype":"BF16","shape":[2,2],"data_offsets":[20,28]},\#
    "a":{"dtype":"F32","shape":[5],"data_offsets":[0,20]} }
    """#
