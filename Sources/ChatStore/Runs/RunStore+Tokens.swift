// The tokens of answers with their probabilities, for requests that want them. They are stored with
// the checkpoints of a running answer, and in the end with the answer.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

extension RunStore {
    /// The tokens of an answer after some of its text, as far as they are stored. No permission is
    /// checked: the caller has read the answer.
    /// - Parameters:
    ///   - message: the answer.
    ///   - conversation: its conversation.
    ///   - start: the UTF-8 bytes of its text before them.
    /// - Returns: the tokens, in order.
    /// - Throws: `PostgresError`.
    public func answerTokens(
        of message: MessageID,
        in conversation: ConversationID,
        from start: Int
    ) async throws -> [AnswerToken] {
        let rows = try await pool.query(
            """
            SELECT 0 AS at, logprobs::text AS logprobs FROM messages
            WHERE conversation_id = $1 AND id = $2 AND logprobs IS NOT NULL
            UNION ALL
            SELECT p.at, p.logprobs::text FROM generations g
            JOIN answer_parts p ON p.run_id = g.run_id AND p.at + octet_length(p.text) > $3
            WHERE g.message_id = $2 AND p.logprobs IS NOT NULL
            ORDER BY at
            """,
            [.uuid(conversation), .uuid(message), .int32(Int32(clamping: start))]
        )
        return try rows.flatMap { try $0.json("logprobs", as: [AnswerToken].self) ?? [] }
            .filter { $0.at >= start }
    }
}

extension AnswerToken {
    /// The JSON of tokens, for a column; empty for none.
    static func text(of tokens: [AnswerToken]) -> String {
        tokens.isEmpty ? "" : String(decoding: WireEncoding.text(tokens), as: UTF8.self)
    }
}
