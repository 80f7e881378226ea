// The parts of a model folder, one by one: a folder that has only a tokenizer can still tokenise.

import PhiModel
import Tokenizers

/// A model's folder, as the line commands use it.
struct ModelFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Text to tokens and back, from tokenizer.json.
    func tokenizer() throws(CommandFailure) -> Tokenizer {
        do throws(TokenizerError) {
            return try Tokenizer.load(folder: path)
        } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    /// Messages to tokens, from the tokenizer's files.
    func template() throws(CommandFailure) -> ChatTemplate {
        let tokenizer = try tokenizer()
        do throws(TokenizerError) {
            return try ChatTemplate.load(folder: path, tokenizer: tokenizer)
        } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    /// The weights, from config.json and model*.safetensors.
    func model() throws(CommandFailure) -> PhiModel {
        do {
            return try PhiModel(folder: path)
        } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
    }
}
