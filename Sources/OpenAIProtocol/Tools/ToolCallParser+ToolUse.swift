// The parser of the answers to a request.

public import ChatCore
public import ToolCalls

extension ToolCallParser {
    /// Finds the calls in the answers to a request; nil if the model is told of no functions.
    /// - Parameter tools: the tools of the request.
    public init?(_ tools: ToolUse?) {
        guard let tools, tools.definitions != nil else { return nil }
        self.init(
            Marks(opening: ToolText.callsOpening, closing: ToolText.callsClosing),
            functions: Set(tools.functions.map(\.name)),
            callsMax: tools.isParallel ? 128 : 1
        )
    }
}
