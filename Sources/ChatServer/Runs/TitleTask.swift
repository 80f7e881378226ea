// Makes the title of a conversation from its first question and answer. Until then, and if the
// model's text is useless, the title is the beginning of the first message. A title that a user sets
// is never replaced.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference
import ThinkingText

/// Makes the title of a conversation.
struct TitleTask: IdleTask {
    static let name = "title"
    let conversation: ConversationID

    func prepare(on dispatcher: RunDispatcher) async throws -> IdleGeneration? {
        let conversation = conversation
        guard let pool = dispatcher.pool,
            let input = try await dispatcher.store.conversations.titleInput(of: conversation)
        else { return nil }
        // Nothing is loaded for it: the next answer adds it again.
        guard !pool.board.isWaiting(for: input.model) else { return nil }
        let model = try pool.engine(for: input.model)
        // The demo model makes no titles. If another model answers here later, that one will.
        guard model.name != DemoModel.name else { return nil }
        let builder = model.promptBuilder
        let prompt = try await dispatcher.promptWorkers.run {
            builder.buildTitle(
                question: input.question,
                answer: ThinkingParts.answer(of: input.answer)
            )
        }
        guard let prompt else { return nil }
        return IdleGeneration(model: model, prompt: prompt) { text, completion in
            let events = try await dispatcher.store.conversations.addTitle(
                completion.finish == .stop ? TitleRule.title(fromModel: text) : nil,
                to: conversation,
                tokens: completion.computedTokens
            )
            dispatcher.hub.publish(events, in: conversation)
            return nil
        }
    }
}
