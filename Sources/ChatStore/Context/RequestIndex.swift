// The options of a request of OpenAI's API, and which of its questions and answers one is.

import ChatCore
import ChatProtocol
import Postgres

/// Which of a request's questions and answers a message is: the number of those stored before it.
enum RequestIndex {
    /// Of the answer `a` among those to its question `q`, in a conversation `c`; 0 in a conversation
    /// of a user.
    static let answer = """
        CASE WHEN c.api_user_id IS NULL THEN 0 ELSE (
            SELECT count(*) FROM messages s
            WHERE s.conversation_id = c.id AND s.parent_id = q.id AND s.created_n < a.created_n
        ) END
        """

    /// Of the question `q` among the first messages of a conversation `c` without a chat template;
    /// 0 in others.
    static let question = """
        CASE WHEN c.api_options -> 'prompts' IS NULL THEN 0 ELSE (
            SELECT count(*) FROM messages s
            WHERE s.conversation_id = c.id AND s.parent_id IS NULL AND s.created_n < q.created_n
        ) END
        """
}

extension CompletionOptions {
    /// Reads the column `api_options` as text.
    init(row: PostgresRow) throws {
        self = try row.json("api_options", as: CompletionOptions.self) ?? CompletionOptions()
    }

    /// The prompt of a question; nil if the chat template applies.
    func rawPrompt(at index: Int64) -> RawPrompt? {
        rawPrompts.indices.contains(Int(index)) ? rawPrompts[Int(index)] : nil
    }
}
