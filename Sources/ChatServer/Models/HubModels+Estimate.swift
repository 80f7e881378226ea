// What a model on the hub would need here, before it is downloaded.

package import ChatProtocol
import Checkpoints
package import EventLoop
import ModelHub

extension ModelEstimate {
    /// The conversation whose keys and values an estimate includes, in tokens.
    static let tokenCount = 4000

    /// Estimates from the sizes of its files, and the shape in its configuration.
    fileprivate init(_ size: ModelSize, of name: ModelName) throws(HubError) {
        let shape: ModelConfiguration
        do throws(CheckpointError) {
            shape = try ModelConfiguration(
                config: ConfigurationFile(
                    parsing: size.configuration.span,
                    path: "config.json"
                ),
                generation: nil,
                tokenizer: nil
            )
        } catch {
            throw .notAModel(name, "\(error)")
        }
        // Each cached number has 16 bits.
        let cacheBytes = Self.tokenCount * shape.cachedNumberCount * 2
        self.init(
            downloadBytes: Int64(size.totalBytes),
            memoryBytes: Int64(size.weightBytes + cacheBytes)
        )
    }
}

extension HubModels {
    package func estimate(
        _ name: String,
        revision: String,
        on loop: EventLoop
    ) async -> Result<ModelEstimate, ModelFailure> {
        let promise = LoopPromise<Result<ModelEstimate, ModelFailure>, Never>(loop)
        let mailbox = loop.mailbox(capacity: 1) {
            (results: [Result<ModelEstimate, ModelFailure>]) in
            for result in results { promise.succeed(result) }
        }
        let configuration = configuration
        do throws(SystemError) {
            _ = try EventLoop.launch(name: "hub") { hubLoop in
                _ = hubLoop.spawn {
                    let result: Result<ModelEstimate, ModelFailure>
                    do throws(HubError) {
                        let model = try ModelName(name)
                        var settings = try configuration.get()
                        // Somebody waits for it, and can ask again.
                        settings.retry.attemptsMax = 2
                        settings.retry.askedDelayMax = .seconds(5)
                        let pull = try ModelPull(loop: hubLoop, configuration: settings)
                        let size = try await pull.size(of: model, revision: revision)
                        result = .success(try ModelEstimate(size, of: model))
                    } catch {
                        result = .failure(ModelFailure(error))
                    }
                    mailbox.post(result)
                    hubLoop.stop()
                }
            }
        } catch {
            return .failure(.noThread("\(error)"))
        }
        // If the request was cancelled, the hub's answer is dropped.
        return await promise.value { promise.succeed(.failure(ModelFailure(.cancelled))) }
    }
}
