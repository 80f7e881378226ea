// For programs that import MLXLLM: the library under that name.

@_exported public import PhiEngine
