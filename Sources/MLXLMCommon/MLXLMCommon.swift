// For programs that import MLXLMCommon: the library under that name.

@_exported public import PhiEngine
