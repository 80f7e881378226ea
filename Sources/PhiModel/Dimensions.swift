// The sizes used in forward passes, separate from the configuration so that copying them is free.

import Checkpoints

/// A model's sizes. In shapes, H is `hidden`, Q `queryWidth`, K `keyWidth`, I `middle`, V the rows
/// of the vocabulary.
struct Dimensions: Sendable {
    let layerCount: Int
    let hidden: Int
    /// The width between the MLP's two products.
    let middle: Int
    let headCount: Int
    let keyHeadCount: Int
    let headSize: Int
    /// Pairs of elements of a head that are rotated.
    let rotaryPairs: Int
    let normEpsilon: Float

    init(_ configuration: ModelConfiguration) {
        layerCount = configuration.layerCount
        hidden = configuration.hiddenSize
        middle = configuration.intermediateSize
        headCount = configuration.headCount
        keyHeadCount = configuration.keyValueHeadCount
        headSize = configuration.headSize
        rotaryPairs = configuration.rotaryDimensions / 2
        normEpsilon = configuration.normEpsilon
    }

    /// All query heads of a position.
    var queryWidth: Int { headCount * headSize }
    /// All key heads of a position, and all value heads.
    var keyWidth: Int { keyHeadCount * headSize }
    /// A position's queries, keys and values.
    var queryKeyValueWidth: Int { queryWidth + 2 * keyWidth }
}
