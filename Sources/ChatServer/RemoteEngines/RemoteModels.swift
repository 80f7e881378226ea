// The models that remote engines answer for. What an engine needs on this machine, its key, its
// certificates and its tokenizer, is read here; one that lacks something is left out, with the reason.

import ChatCore
import FoundationEssentials
import Inference
import RemoteEngine
import Tokenizers

/// An engine that is to be used.
struct RemoteEnginePlacement: Sendable, Hashable {
    /// What an administrator wrote.
    var setting: RemoteEngineSetting
    /// Whether it gets no new requests.
    var isDraining = false
}

/// The models of remote engines.
struct RemoteModels: Sendable {
    /// A model, and the engines that answer for it.
    struct Entry: Sendable {
        let model: RemoteModel
        let encoding: any PromptEncoding
        let encodeCalls: @Sendable (String) -> [Int32]
        let knowsTools: Bool
        let vocabulary: ModelEngine.Vocabulary?
        fileprivate let folder: String?
        fileprivate(set) var addresses: [RemoteAddress] = []
    }

    /// The models, in the order of the engines.
    private(set) var entries: [Entry] = []
    /// Why engines cannot be used on this machine, by label.
    private(set) var problems: [String: StartupError] = [:]
    /// The tokenizers so far, by folder.
    private var tokenizers: [String: RemoteTokenizer]

    /// Reads what engines need.
    /// - Parameters:
    ///   - placements: the engines.
    ///   - environment: has the keys that are named by a variable.
    ///   - former: has tokenizers that were read before.
    init(
        _ placements: [RemoteEnginePlacement],
        environment: [String: String],
        after former: RemoteModels? = nil
    ) {
        tokenizers = former?.tokenizers ?? [:]
        for placement in placements {
            do throws(StartupError) { try add(placement, environment) } catch {
                problems[placement.setting.label] = error
            }
        }
    }

    /// Reads what the engines of the settings need.
    /// - Throws: the first problem, so that what is missing ends the start with one line.
    init(
        _ settings: [RemoteEngineSetting],
        environment: [String: String]
    ) throws(StartupError) {
        self.init(
            settings.map { RemoteEnginePlacement(setting: $0) },
            environment: environment
        )
        for setting in settings {
            if let problem = problems[setting.label] { throw problem }
        }
    }

    /// The same models without those whose names are taken.
    func without(_ isTaken: (String) -> Bool) -> RemoteModels {
        var models = self
        models.entries.removeAll { isTaken($0.model.name) }
        return models
    }

    /// The models' names.
    var names: [String] { entries.map(\.model.name) }

    private mutating func add(
        _ placement: RemoteEnginePlacement,
        _ environment: [String: String]
    ) throws(StartupError) {
        let setting = placement.setting
        var address = try Self.address(setting, environment)
        address.isDraining = placement.isDraining
        if let index = entries.firstIndex(where: { $0.model.name == setting.name }) {
            guard entries[index].folder == setting.tokenizer else {
                throw StartupError(
                    .configuration,
                    "the remote engines of \(setting.name) differ in tokenizer: one model has one"
                )
            }
            entries[index].addresses.append(address)
        } else {
            entries.append(try entry(setting))
            entries[entries.count - 1].addresses.append(address)
        }
    }

    private mutating func entry(_ setting: RemoteEngineSetting) throws(StartupError) -> Entry {
        guard let folder = setting.tokenizer else {
            return Entry(
                model: RemoteModel(name: setting.name, encode: nil),
                encoding: EstimatedEncoding(),
                encodeCalls: { EstimatedEncoding.tokens(of: $0) },
                knowsTools: false,
                vocabulary: nil,
                folder: nil
            )
        }
        let tokenizer = try tokenizer(in: folder, of: setting.name)
        return Entry(
            model: RemoteModel(name: setting.name, encode: tokenizer.encode),
            encoding: tokenizer.encoding,
            encodeCalls: tokenizer.encodeCalls,
            knowsTools: tokenizer.knowsTools,
            vocabulary: tokenizer.vocabulary,
            folder: folder
        )
    }

    private mutating func tokenizer(
        in folder: String,
        of model: String
    ) throws(StartupError) -> RemoteTokenizer {
        if let known = tokenizers[folder] { return known }
        do throws(TokenizerError) {
            let tokenizer = try RemoteTokenizer(folder: folder)
            tokenizers[folder] = tokenizer
            return tokenizer
        } catch {
            throw StartupError(.noInput, "the tokenizer of the remote model \(model): \(error)")
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
        address.key = try RemoteEngineKey.read(setting, environment)
        if let file = setting.trustedFile, !FileManager.default.isReadableFile(atPath: file) {
            throw StartupError(
                .noInput,
                "\(file), the ca-file of remote engine \(setting.label), cannot be read"
            )
        }
        address.trustedFile = setting.trustedFile
        address.slots = setting.slots
        address.contextLimit = setting.contextLength
        address.deadlines.connection = .seconds(setting.connectionSeconds)
        address.deadlines.firstToken = .seconds(setting.firstTokenSeconds)
        address.deadlines.nextToken = .seconds(setting.nextTokenSeconds)
        return address
    }
}
