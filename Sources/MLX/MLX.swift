// For programs that import MLX: the library under MLX's name. There is no array framework here.

@_exported public import PhiEngine

/// What a prompt is made of; other uses of MLX's arrays have no counterpart.
public typealias MLXArray = TokenArray
