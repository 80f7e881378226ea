// Reads from the database what `stoa replay` needs, whether a server is running or not: the
// messages of an answer's prompt, and the model's folder.

package import ChatCore
package import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
package import Logging
import Postgres
import Tokenizers

/// The reconstructed prompt of an answer.
package struct RebuiltPrompt: Sendable {
    /// The receipt stored with the answer.
    package let receipt: AnswerReceipt
    /// The messages of the prompt, in order.
    package let messages: [PromptMessage]
    /// The prompt of a request without a chat template; nil if the template applies.
    let raw: RawPrompt?
    /// The full names and revisions of the models that the server downloaded.
    let fetchedModels: [(name: String, revision: String)]

    /// The tokens of the prompt.
    package func tokens(_ model: ReplayModel) -> [Int32] {
        switch raw {
        case nil: TemplateEncoding(template: model.template).encode(messages).tokens
        case .tokens(let tokens)?: tokens
        case .text?: model.tokenizer.encode(text(model), specialTokens: .asText)
        }
    }

    /// The prompt as text.
    package func text(_ model: ReplayModel) -> String {
        raw == nil
            ? TemplateEncoding(template: model.template).render(messages)
            : messages.map(\.text).joined()
    }
}

/// The model of an answer.
package struct ReplayModel: Sendable {
    /// Its folder.
    package let folder: String
    let tokenizer: Tokenizer
    let template: ChatTemplate
}

/// Reads the inputs of an answer.
package enum ReplayCommand {
    /// Reads an answer's receipt, and the messages that it names.
    /// - Parameters:
    ///   - message: the answer.
    ///   - settings: the database.
    ///   - logger: the logger.
    /// - Returns: the prompt as messages.
    /// - Throws: `StartupError` if there is no such answer, a part of its prompt was deleted, or
    ///   the database cannot be used.
    package static func read(
        _ message: MessageID,
        settings: ServerSettings,
        logger: Logger
    ) async throws -> RebuiltPrompt {
        let database = try Database(settings)
        defer { database.release() }
        let configuration = database.configuration
        do {
            return try await EventLoop.run { loop in
                let pool = PostgresPool(loop: loop, configuration: configuration, logger: logger)
                let rebuilt = try await rebuild(message, Store(pool: pool))
                await pool.close()
                return rebuilt
            }
        } catch let error as WireError {
            throw StartupError(.badData, error.message)
        } catch let error as StartupError {
            throw error
        } catch {
            throw StartupError(.unavailable, "the answer cannot be read: \(error)")
        }
    }

    private static func rebuild(
        _ message: MessageID,
        _ store: Store
    ) async throws -> RebuiltPrompt {
        guard let stored = try await store.context.storedReceipt(of: message) else {
            throw StartupError(.badData, "there is no message \(message) in this database")
        }
        guard let json = stored.json else {
            throw StartupError(
                .badData,
                "\(message) has no receipt: it is a question, or an answer that no model began"
            )
        }
        let receipt: AnswerReceipt
        do {
            receipt = try JSONDecoder().decode(AnswerReceipt.self, from: Data(json.utf8))
        } catch {
            throw StartupError(.badData, "the receipt of \(message) is of an unknown form")
        }
        return RebuiltPrompt(
            receipt: receipt,
            messages: try await store.context.messages(of: receipt.prompt, in: stored.conversation),
            raw: receipt.prompt.isRaw == true
                ? try await store.context.rawPrompt(of: message) : nil,
            fetchedModels: try await store.models.list().filter(\.isFetched).map {
                ($0.name, $0.revision)
            }
        )
    }

    /// The folder of the model that answered, among those of a server with these settings.
    /// - Parameters:
    ///   - rebuilt: the prompt.
    ///   - settings: the models.
    /// - Returns: the model.
    /// - Throws: `StartupError` if none has the receipt's name or template.
    package static func model(
        of rebuilt: RebuiltPrompt,
        settings: ServerSettings
    ) throws(StartupError) -> ReplayModel {
        let wanted = rebuilt.receipt.run?.model
        var candidates: [ReplayModel] = []
        for folder in try folders(rebuilt, settings) {
            guard let tokenizer = try? Tokenizer.load(folder: folder),
                let template = try? ChatTemplate.load(folder: folder, tokenizer: tokenizer)
            else { continue }
            candidates.append(
                ReplayModel(folder: folder, tokenizer: tokenizer, template: template)
            )
        }
        let named = candidates.filter { LoadedModel.name(of: $0.folder) == wanted?.name }
        let same = (named + candidates).first {
            ModelIdentity.hash(of: $0.template) == wanted?.templateHash
        }
        guard let found = same ?? named.first ?? (wanted == nil ? candidates.first : nil) else {
            throw StartupError(
                .noInput,
                "the answer is \(wanted?.name ?? "an unknown model")'s, which these settings do not"
                    + " have: name its folder with --model"
            )
        }
        return found
    }

    private static func folders(
        _ rebuilt: RebuiltPrompt,
        _ settings: ServerSettings
    ) throws(StartupError) -> [String] {
        let source = HubModels(
            environment: ProcessInfo.processInfo.environment,
            dataDirectory: settings.dataDirectory
        )
        let fetched = rebuilt.fetchedModels.compactMap {
            source.folder(of: $0.name, revision: $0.revision)
        }
        let named = try settings.models.map { model throws(StartupError) in
            try ModelPlace(model, in: source).path
        }
        guard named.isEmpty else { return named + fetched }
        do {
            return [try DemoModel.folder(in: "\(settings.dataDirectory)/models")] + fetched
        } catch {
            throw StartupError(
                .cannotCreate,
                "the demo model: \(error) (--data-dir)"
            )
        }
    }
}
