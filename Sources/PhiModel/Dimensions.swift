// The sizes used in forward passes, separate from the configuration so that copying them is free.

import Checkpoints
import PhiKernels

/// A model's sizes. In shapes, H is `hidden`, Q `queryWidth`, K `keyWidth`, I `middle`, E
/// `expertCount`, V the rows of the vocabulary.
struct Dimensions: Sendable {
    let layerCount: Int
    let hidden: Int
    /// The width between the MLP's two products, or between those of an expert.
    let middle: Int
    let headCount: Int
    let keyHeadCount: Int
    let headSize: Int
    /// Pairs of elements of a head that are rotated.
    let rotaryPairs: Int
    let normEpsilon: Float
    let attentionScale: Float
    let activation: LayerDesign.Activation
    /// 0 if each layer has one MLP.
    let expertCount: Int
    /// The number of experts that compute a token.
    let chosenExpertCount: Int
    let heads: HeadPlaces

    init(_ configuration: ModelConfiguration) {
        layerCount = configuration.layerCount
        hidden = configuration.hiddenSize
        middle = configuration.intermediateSize
        headCount = configuration.headCount
        keyHeadCount = configuration.keyValueHeadCount
        headSize = configuration.headSize
        rotaryPairs = configuration.rotaryDimensions / 2
        normEpsilon = configuration.normEpsilon
        attentionScale =
            configuration.design.attentionScale.map { Float($0) } ?? 1
            / Float(headSize).squareRoot()
        activation = configuration.design.activation
        expertCount = configuration.design.experts?.count ?? 0
        chosenExpertCount = configuration.design.experts?.chosenCount ?? 0
        heads = HeadPlaces(configuration)
    }

    /// All query heads of a position.
    var queryWidth: Int { headCount * headSize }
    /// All key heads of a position, and all value heads.
    var keyWidth: Int { keyHeadCount * headSize }
    /// A position's queries, keys and values.
    var queryKeyValueWidth: Int { queryWidth + 2 * keyWidth }
    /// The width of the MLP's first product: gates as well as ups, if there are gates.
    var expandedWidth: Int { activation == .gelu ? middle : 2 * middle }
}

/// Where the heads are in a row of queries, keys and values, in numbers from its start.
struct HeadPlaces: Sendable {
    /// From the first query head of a key head to that of the next one.
    let groupStride: Int
    /// The first key head, and the first value head.
    let keyStart: Int
    let valueStart: Int
    /// From one key head to the next, and from one value head to the next.
    let keyStride: Int

    init(_ configuration: ModelConfiguration) {
        let size = configuration.headSize
        let group = configuration.headCount / configuration.keyValueHeadCount
        switch configuration.design.headOrder {
        case .byKind:
            groupStride = group * size
            keyStart = configuration.headCount * size
            valueStart = keyStart + configuration.keyValueHeadCount * size
            keyStride = size
        case .byKeyHead:
            groupStride = (group + 2) * size
            keyStart = group * size
            valueStart = keyStart + size
            keyStride = groupStride
        }
    }
}
