// A prompt that was built to count its tokens before its turn was stored. If its run begins at once, it is not
// built again.

import ChatCore
import ChatStore

/// A prompt of a turn whose conversation was stored with it.
struct CountedPrompt {
    /// The prompt, with the ids under which its messages were stored.
    let prompt: Prompt
    /// The name of the model that it was built for.
    let model: String
    /// That model's context.
    let contextLength: Int

    /// Whether it is the prompt of a run: it was built for the same model and the same room for the
    /// answer. The conversation is a request's own and as old as the run, so its messages, its
    /// system prompt and its settings are those that were counted.
    /// - Parameters:
    ///   - input: the input of the run.
    ///   - model: the model that answers.
    ///   - room: how many tokens the answer has already.
    /// - Returns: whether it is.
    func suits(_ input: RunInput, _ model: ModelEngine, room: Int) -> Bool {
        room == 0 && input.shortenedTo == nil && input.rawPrompt == nil
            && self.model == model.name && contextLength == model.contextLength
    }
}
