// `stoa generate --replay`: repeats a run, and finds the first token that differs.

import Checkpoints
import Inference
import TerminalText
import Tokenizers

extension GenerateCommandLine {
    /// Repeats the run of the receipt at `path`, prints the result on standard output, and on
    /// standard error what differs from the receipt's environment.
    /// - Throws: `.difference` if a token differs.
    func replayRun(_ path: String) throws {
        let receipt = try ReceiptFile.read(path)
        do throws(EngineError) {
            let loaded = try LoadedModel.load(folder: try modelFolder())
            let adapter = try loadedAdapter(for: loaded)
            for sentence in receipt.differences(from: loaded, adapter: adapter) {
                StandardStreams.printError("note: \(sentence)")
            }
            let replay = try loaded.replay(
                receipt,
                prompt: try promptTokens(receipt, loaded),
                adapter: adapter
            )
            StandardStreams.print("\(replay.line(loaded.tokenizer))")
            if case .same = replay { return }
        } catch {
            throw CommandFailure(error)
        }
        throw CommandFailure(.difference, "")
    }

    /// The prompt: the receipt's own, or the given messages rendered with the model's template.
    private func promptTokens(
        _ receipt: RunReceipt,
        _ loaded: LoadedModel
    ) throws(EngineError) -> [TokenID] {
        if let ids = receipt.prompt.ids { return ids }
        guard prompt != nil || messages != nil else {
            throw .invalidRequest(
                "the receipt has only a hash of its prompt: give the messages with --messages"
            )
        }
        do throws(CommandFailure) {
            let conversation = try conversation()
            return loaded.template.encode(conversation, addGenerationPrompt: true).tokens
        } catch {
            throw .invalidRequest(error.message)
        }
    }
}

extension RunReplay {
    /// For example "token 17 differs: 1234 “ the” in the receipt, 5678 “ a” now". The first token
    /// of an answer is token 1.
    func line(_ tokenizer: Tokenizer) -> String {
        func name(_ token: TokenID?) -> String {
            guard let token else { return "the end" }
            let text = tokenizer.decode([token], keepSpecial: true)
            return "\(token) “\(TerminalSanitizer.clean(text))”"
        }
        switch self {
        case .same(let count):
            return "the same \(count) tokens"
        case .differs(let position, let recorded, let replayed):
            return "token \(position + 1) differs: \(name(recorded)) in the receipt, "
                + "\(name(replayed)) now"
        }
    }
}
