// A named array of a checkpoint, in place.

/// A tensor's description and its bytes in the mapped file.
public struct Tensor: Sendable {
    /// The name in the file, such as `model.layers.0.mlp.down_proj.weight`.
    public let name: String
    /// The type of its elements.
    public let elementType: ElementType
    /// The dimensions, row-major: the last one is contiguous.
    public let shape: [Int]
    /// The file that contains it; keeps `bytes` valid.
    public let file: MappedFile
    /// The range of the elements in the file. The start may be odd: MLX does not pad its headers.
    public let byteRange: Range<Int>

    /// The elements, at any alignment; retain the tensor while reading them.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: file.bytes[byteRange])
    }

    /// The number of elements.
    public var elementCount: Int { shape.reduce(1, *) }
}

extension Tensor {
    /// This tensor, if its elements are of one of `types`.
    /// - Throws: `.wrongType`.
    public func checked(types: [ElementType]) throws(CheckpointError) -> Tensor {
        guard types.contains(elementType) else {
            throw .wrongType(
                path: file.path,
                tensor: name,
                expected: types,
                found: elementType
            )
        }
        return self
    }

    /// This tensor, if it has the dimensions `shape`.
    /// - Throws: `.wrongShape`.
    public func checked(shape expected: [Int]) throws(CheckpointError) -> Tensor {
        guard shape == expected else {
            throw .wrongShape(path: file.path, tensor: name, expected: expected, found: shape)
        }
        return self
    }
}
