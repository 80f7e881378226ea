// Differences that may prevent repeating a run.

import PhiModel

extension RunReceipt {
    /// The differences between `model` with `adapter` in this program and this receipt, one sentence
    /// for each; empty if it should give the same tokens.
    public func differences(
        from model: LoadedModel,
        adapter: LoadedAdapter? = nil
    ) -> [String] {
        let identity = model.identity
        var sentences: [String] = []
        if version > Self.currentVersion {
            sentences.append(
                "the receipt has version \(version), newer than the \(Self.currentVersion) of this Stoa"
            )
        }
        if self.model.hash != identity.hash {
            sentences.append(
                "the model is another one: the receipt's is \(Self.name(self.model, self.model.hash)), "
                    + "this one is \(Self.name(identity, identity.hash))"
            )
        }
        if self.adapter?.hash != adapter?.identity.hash {
            sentences.append(
                "the adapter is another one: the receipt's is \(Self.name(self.adapter)), this one is "
                    + Self.name(adapter?.identity)
            )
        }
        if self.model.templateHash != identity.templateHash {
            sentences.append(
                "the chat template is another one: the same messages give another prompt"
            )
        }
        if engine.kernels != model.model.kernelName {
            sentences.append(
                "the kernels are other ones, \(engine.kernels) then and \(model.model.kernelName) "
                    + "now: they round in other places"
            )
        }
        if engine.stoa != EngineVersion.text {
            sentences.append("Stoa was \(engine.stoa) then and is \(EngineVersion.text) now")
        }
        return sentences
    }

    private static func name(_ identity: AdapterIdentity?) -> String {
        identity.map { "\($0.name) (\($0.hash.prefix(12)))" } ?? "none"
    }

    private static func name(_ identity: ModelIdentity, _ hash: String?) -> String {
        "\(identity.name) (\(hash.map { String($0.prefix(12)) } ?? "without a hash"))"
    }
}
