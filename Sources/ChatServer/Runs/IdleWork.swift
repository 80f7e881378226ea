// What the server generates for itself, with the engines that answer, while they are idle: one task
// at a time, started only if no run is queued and a slot is free, and cancelled as soon as a run
// needs the slot. A cancelled task starts again later. Tasks that are lost with the server are added
// again by the next answer.

import ChatCore
import ChatProtocol
import EventLoop
import Inference
import Logging
import ThinkingText

/// What is generated for the server itself.
protocol IdleTask: Sendable {
    /// What it is, for logs.
    static var name: String { get }
    /// The conversation. A later task of the same kind for it replaces this one.
    var conversation: ConversationID { get }

    /// Reads what it needs, and builds its prompt.
    /// - Returns: nil if there is nothing to do any more.
    func prepare(on dispatcher: RunDispatcher) async throws -> IdleGeneration?
}

/// A generation of an idle task.
struct IdleGeneration {
    let model: ModelEngine
    let prompt: Prompt
    /// Stores the text; returns a task that continues this one, if there is more to do.
    let store: (_ text: String, Completion) async throws -> (any IdleTask)?
}

/// The idle tasks of a node.
final class IdleWork {
    /// Maximum tasks that wait.
    private static let pendingMax = 1000

    /// The task that is being generated.
    private struct Running {
        let task: any IdleTask
        let generation: IdleGeneration
        let request: UInt64
        var text = ""

        func log(_ error: any Error) -> Logger.Metadata {
            ["task": "\(type(of: task).name)", "error": "\(error)"]
        }
    }

    private unowned let dispatcher: RunDispatcher
    private var pending: [any IdleTask] = []
    private var running: Running?
    /// Whether a prompt is being built, or a text is being stored.
    private var isBusy = false

    init(_ dispatcher: RunDispatcher) {
        self.dispatcher = dispatcher
    }

    /// Whether a text is being generated.
    var isGenerating: Bool { running != nil }

    /// Whether nothing is waiting, being generated or being stored.
    var isEmpty: Bool { pending.isEmpty && running == nil && !isBusy }

    /// Adds a task, which replaces one of its kind for the same conversation.
    func add(_ task: any IdleTask) {
        pending.removeAll { type(of: $0) == type(of: task) && $0.conversation == task.conversation }
        guard pending.count < Self.pendingMax else { return }
        pending.append(task)
    }

    // MARK: Scheduling

    /// Cancels the generation if an answer needs its slot.
    func makeRoom() {
        guard let running, dispatcher.freeSlotCount < 0 else { return }
        running.generation.model.engine.cancel(running.request)
    }

    /// Starts a task if there is no other work.
    func startIfIdle() {
        guard !isBusy, running == nil, !pending.isEmpty, canStart else { return }
        isBusy = true
        let task = pending.removeFirst()
        dispatcher.loop.spawn { [self] in
            do { try await start(task) } catch {
                dispatcher.logger.warning(
                    "preparing an idle task failed",
                    metadata: ["task": "\(type(of: task).name)", "error": "\(error)"]
                )
            }
            isBusy = false
            // If it had nothing to do, the next one may start.
            if running == nil { startIfIdle() }
        }
    }

    private var canStart: Bool { !dispatcher.isDraining && dispatcher.freeSlotCount > 0 }

    private func start(_ task: any IdleTask) async throws {
        guard let pool = dispatcher.pool,
            let generation = try await task.prepare(on: dispatcher)
        else { return }
        // An answer may have been queued meanwhile.
        guard canStart else { return pending.insert(task, at: 0) }
        let request = try pool.submit(
            generation.prompt,
            sampling: .greedy,
            // Titles and summaries have few tokens, and nobody reads what led to them.
            thinkingTokensMax: generation.model.limitsThinking ? 0 : nil,
            to: generation.model
        )
        running = Running(task: task, generation: generation, request: request)
    }

    // MARK: Generating

    /// Applies an engine's event.
    /// - Returns: whether it was about an idle task.
    func take(_ event: TokenEvent) -> Bool {
        guard let running, running.request == event.id else { return false }
        switch event {
        case .started, .progress: break
        case .text(_, let text, _, _):
            self.running?.text += text
        case .finished(_, let completion):
            self.running = nil
            if completion.finish == .stopped {
                pending.insert(running.task, at: 0)
            } else {
                isBusy = true
                dispatcher.loop.spawn { [self] in
                    await store(running, completion)
                    isBusy = false
                    dispatcher.wake()
                }
            }
        case .failed(_, let error):
            self.running = nil
            dispatcher.logger.error("generating an idle task failed", metadata: running.log(error))
        }
        return true
    }

    private func store(_ running: Running, _ completion: Completion) async {
        guard !dispatcher.isReleasing else { return }
        // PostgreSQL cannot store this character.
        let text = ThinkingParts.answer(of: running.text).replacing("\0", with: "\u{FFFD}")
        do {
            if let next = try await running.generation.store(text, completion) {
                pending.insert(next, at: 0)
            }
        } catch {
            dispatcher.logger.warning("storing an idle task failed", metadata: running.log(error))
        }
    }
}

extension Completion {
    /// The tokens that a generation used: prompt tokens computed, and tokens generated.
    var computedTokens: Int { promptTokens - cachedTokens + completionTokens }
}
