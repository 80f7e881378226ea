// The ids of responses and of their items, which are those of the stored answers.

public import ChatProtocol

extension MessageID {
    private static let responsePrefix = "resp_"

    /// The answer of a response's id; nil if the text is none.
    public init?(responseID text: String) {
        guard text.hasPrefix(Self.responsePrefix) else { return nil }
        self.init(String(text.dropFirst(Self.responsePrefix.count)))
    }

    /// The id of the response that has this answer.
    public var responseID: String { "\(Self.responsePrefix)\(self)" }

    /// The id of this answer in a response's output.
    var itemID: String { "msg_\(self)" }

    /// The id of what the model thought before this answer in a response's output.
    var reasoningID: String { "rs_\(self)" }

    /// The id of a call of this answer in a response's output; not the id that its result refers to.
    func callItemID(_ number: Int) -> String { "fc_\(self)_\(number)" }

    /// The id that the result of a call refers to.
    func callID(_ number: Int) -> String {
        WrittenCall.id(in: responseID, answer: 0, number: number)
    }
}
