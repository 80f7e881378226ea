// The models that remote engines answer for, from the settings: reads keys and tokenizers at the
// start, so that what is missing ends it with one line.

import ChatCore
import EventLoop
import FoundationEssentials
import Inference
import Logging
import RemoteEngine
import Tokenizers

/// The models of remote engines.
struct RemoteModels: Sendable {
    /// A model, and the engines that answer for it.
    struct Entry: Sendable {
        let model: RemoteModel
        let encoding: any PromptEncoding
        let encodeCalls: @Sendable (String) -> [Int32]
        let toolSupport: ToolSupport
        let addresses: [RemoteAddress]
    }

    /// The models, in the order of the settings.
    private(set) var entries: [Entry] = []

    /// Reads keys and tokenizers.
    /// - Parameters:
    ///   - settings: the engines.
    ///   - environment: has the keys that are named by a variable.
    /// - Throws: `StartupError`, which says what to do.
    init(
        _ settings: [RemoteEngineSetting],
        environment: [String: String]
    ) throws(StartupError) {
        var names: [String] = []
        for setting in settings where !names.contains(setting.name) { names.append(setting.name) }
        for name in names {
            let group = settings.filter { $0.name == name }
            guard Set(group.map(\.tokenizer)).count == 1,
                Set(group.map(\.contextLength)).count == 1
            else {
                throw StartupError(
                    .configuration,
                    "the remote engines of \(name) differ in tokenizer or context: one model has "
                        + "one of each"
                )
            }
            entries.append(try Self.entry(name, group, environment))
        }
    }

    /// The models' names.
    var names: [String] { entries.map(\.model.name) }

    private static func entry(
        _ name: String,
        _ group: [RemoteEngineSetting],
        _ environment: [String: String]
    ) throws(StartupError) -> Entry {
        var addresses: [RemoteAddress] = []
        for setting in group { addresses.append(try address(setting, environment)) }
        let contextLength = group[0].contextLength
        guard let folder = group[0].tokenizer else {
            return Entry(
                model: RemoteModel(name: name, contextLength: contextLength, encode: nil),
                encoding: EstimatedEncoding(),
                encodeCalls: { EstimatedEncoding.tokens(of: $0) },
                toolSupport: .engine,
                addresses: addresses
            )
        }
        do throws(TokenizerError) {
            let tokenizer = try Tokenizer.load(folder: folder)
            let template = try ChatTemplate.load(folder: folder, tokenizer: tokenizer)
            let encode: @Sendable (String) -> [Int32] = {
                tokenizer.encode($0, specialTokens: .asText)
            }
            return Entry(
                model: RemoteModel(name: name, contextLength: contextLength, encode: encode),
                encoding: TemplateEncoding(template: template),
                encodeCalls: { template.encodeCalls($0) },
                toolSupport: template.toolForm == nil ? .none : .template,
                addresses: addresses
            )
        } catch {
            throw StartupError(.noInput, "the tokenizer of the remote model \(name): \(error)")
        }
    }

    private static func address(
        _ setting: RemoteEngineSetting,
        _ environment: [String: String]
    ) throws(StartupError) -> RemoteAddress {
        var address = RemoteAddress(
            label: setting.label,
            base: setting.base,
            model: setting.model
        )
        address.key = try key(setting, environment)
        if let file = setting.trustedFile, !FileManager.default.isReadableFile(atPath: file) {
            throw StartupError(
                .noInput,
                "\(file), the ca-file of remote engine \(setting.label), cannot be read"
            )
        }
        address.trustedFile = setting.trustedFile
        address.slots = setting.slots
        address.deadlines.connection = .seconds(setting.connectionSeconds)
        address.deadlines.firstToken = .seconds(setting.firstTokenSeconds)
        address.deadlines.nextToken = .seconds(setting.nextTokenSeconds)
        return address
    }

    /// An engine's key. No message contains it.
    private static func key(
        _ setting: RemoteEngineSetting,
        _ environment: [String: String]
    ) throws(StartupError) -> String? {
        let text: String
        if let file = setting.keyFile {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw StartupError(
                    .noInput,
                    "\(file), the key-file of remote engine \(setting.label), cannot be read"
                )
            }
            text = String(decoding: data, as: UTF8.self)
        } else if let variable = setting.keyVariable {
            text = environment[variable] ?? ""
        } else {
            return nil
        }
        let key = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw StartupError(
                .configuration,
                "the key of remote engine \(setting.label) is empty, or has characters that no "
                    + "header can have: check \(setting.keyFile ?? setting.keyVariable ?? "")"
            )
        }
        return key
    }
}

extension EnginePool {
    /// Adds the models that remote engines answer for.
    func add(_ models: RemoteModels, loop: EventLoop, workers: WorkerPool, logger: Logger) {
        for entry in models.entries {
            addRemote(entry.model.name) { sink in
                let engine = RemoteEngine(
                    entry.model,
                    at: entry.addresses,
                    loop: loop,
                    workers: workers,
                    logger: logger,
                    sink: sink
                )
                return ModelEngine(
                    remote: entry.model.name,
                    encoding: entry.encoding,
                    encode: entry.model.encode ?? { EstimatedEncoding.tokens(of: $0) },
                    encodeCalls: entry.encodeCalls,
                    toolSupport: entry.toolSupport,
                    contextLength: entry.model.contextLength,
                    engine: engine
                )
            }
        }
    }
}
