// The models of a server and their states. A value: events go in, changes for clients come out. The
// pool owns engines, threads and folders.

package import ChatCore
package import ChatProtocol
package import ChatStore

/// The models of a server, the default first.
package struct ModelBoard {
    /// A model's state.
    package enum State: Sendable, Hashable {
        /// It is being downloaded.
        case fetching(FetchProgress)
        /// Its files are being read; progress from 0 to 1.
        case loading(Double)
        /// It is ready; maximum tokens of prompt and answer together.
        case ready(contextLength: Int)
        /// Its running answers finish, nothing else starts on it, and then its memory is freed.
        case unloading
        /// It is not in memory.
        case unloaded
        /// It is not in memory, and is loaded when a run needs it; maximum tokens of prompt and
        /// answer together.
        case standby(contextLength: Int)
        /// Another model needs its memory: its running answers finish, and then it is in standby.
        case leaving(contextLength: Int)
        /// Downloading or loading it failed; why, and what an administrator can do.
        case failed(reason: ModelFailure)
    }

    /// What an update changed.
    package enum Change: Sendable, Hashable {
        /// Nothing that clients must know.
        case none
        /// The progress in the same state.
        case progress
        /// Whether it is the default, or that it is here at all: nothing happened to its memory.
        case standing
        /// The state.
        case state
    }

    /// The models' names, in the order in which they were added.
    package private(set) var names: [String] = []
    /// What administrators chose.
    package var choices = ModelChoices()
    /// Models of remote engines for which none answers any more.
    package var retired: Set<String> = []
    private var states: [String: State] = [:]
    /// Maximum tokens of thinking parts, for models that have a limit of their own.
    package let thinkingLimits: [String: Int]

    package init(thinkingLimits: [String: Int] = [:]) { self.thinkingLimits = thinkingLimits }

    /// A model's state; nil if there is no model with that name.
    package subscript(name: String) -> State? { states[name] }

    /// The model for conversations that name none: the one that administrators chose, or the first
    /// one if they chose none that this server has.
    package var defaultName: String? {
        let lasting = names.filter { !retired.contains($0) }
        if let chosen = choices.defaultName, lasting.contains(chosen) { return chosen }
        return lasting.first ?? names.first
    }

    /// Whether a model is to be loaded: the default always, the others unless administrators
    /// unloaded them or removed their engines.
    package func isWanted(_ name: String) -> Bool {
        !retired.contains(name) && (name == defaultName || !choices.unloaded.contains(name))
    }

    /// Updates a model's state. Late updates for a ready model are dropped, and progress never
    /// decreases.
    package mutating func update(_ name: String, to state: State) -> Change {
        guard let old = states[name] else {
            names.append(name)
            states[name] = state
            return .state
        }
        switch (old, state) {
        case (.ready, .unloading), (.ready, .leaving):
            states[name] = state
            return .state
        case (.ready(let before), .ready(let length)) where before != length:
            states[name] = state
            return .state
        case (.ready, _), (.failed, .failed), (.loading, .fetching), (.unloading, .loading),
            (.unloading, .unloading), (.unloaded, .unloaded), (.unloaded, .unloading),
            (.standby, .standby):
            return .none
        case (.fetching(let before), .fetching(let progress)):
            guard progress != before else { return .none }
            states[name] = state
            return .progress
        case (.loading(let before), .loading(let share)):
            guard share > before else { return .none }
            states[name] = state
            return .progress
        default:
            states[name] = state
            return .state
        }
    }

    /// Removes a model.
    /// - Returns: whether it existed.
    package mutating func remove(_ name: String) -> Bool {
        names.removeAll { $0 == name }
        return states.removeValue(forKey: name) != nil
    }

    // MARK: Answering

    /// The model that answers in conversations that name `model`: that one, or the default if this
    /// server has no model with that name, as after a restart with other models, or if it is
    /// unloaded.
    package func answering(for model: String) -> String? {
        switch states[model] {
        case .unloading?, .unloaded?, nil: defaultName
        case .fetching?, .loading?, .ready?, .standby?, .leaving?, .failed?: model
        }
    }

    /// Whether answers in conversations that name `model` wait for a model that is not ready.
    package func isWaiting(for model: String) -> Bool {
        answering(for: model).map(waits) ?? false
    }

    /// The models whose runs can be claimed now; including failed models, so that their runs fail
    /// with the reason.
    package var claimable: ModelFilter {
        if let defaultName, waits(defaultName) {
            return .only(names.filter { answering(for: $0) == $0 && !waits($0) })
        }
        return .allBut(names.filter(waits))
    }

    /// The models that a conversation may select.
    package var choosable: [String] {
        names.filter { name in
            switch states[name] {
            case .loading?, .ready?, .standby?, .leaving?: true
            case .fetching?, .unloading?, .unloaded?, .failed?, nil: false
            }
        }
    }

    /// The context of a model in standby, or on its way there; nil for others.
    package func standbyLength(of name: String) -> Int? {
        switch states[name] {
        case .standby(let length)?, .leaving(let length)?: length
        case .fetching?, .loading?, .ready?, .unloading?, .unloaded?, .failed?, nil: nil
        }
    }

    /// The context of a model that is ready, or in standby; nil for others.
    package func contextLength(of name: String) -> Int? {
        if case .ready(let length)? = states[name] { length } else { standbyLength(of: name) }
    }

    /// Whether any model is ready, or becomes ready when it is needed.
    package var canAnswer: Bool {
        states.values.contains { state in
            switch state {
            case .ready, .standby, .leaving: true
            case .fetching, .loading, .unloading, .unloaded, .failed: false
            }
        }
    }

    /// Whether any model is expected to become ready.
    package var isWaiting: Bool { names.contains(where: waits) }

    private func waits(_ name: String) -> Bool {
        switch states[name] {
        case .fetching?, .loading?, .standby?, .leaving?: true
        // The default is about to be loaded again; the others' answers come from the default.
        case .unloading?, .unloaded?: name == defaultName
        case .ready?, .failed?, nil: false
        }
    }

    // MARK: Loading and unloading

    /// What has to be done with a model.
    package enum Step: Sendable, Hashable {
        /// Load it.
        case load
        /// Unload it, after its running answers.
        case unload
        /// Do not unload it after all.
        case keep
    }

    /// What has to be done with a model so that it is in memory exactly if it is wanted; nil for
    /// nothing. What failed to load is loaded again only on request.
    package func step(for name: String) -> Step? {
        switch (states[name], isWanted(name)) {
        case (.unloaded?, true): .load
        case (.unloading?, true): .keep
        case (.ready?, false), (.loading?, false), (.failed?, false), (.standby?, false),
            (.leaving?, false):
            .unload
        default: nil
        }
    }

    // MARK: For clients

    /// A model as clients see it.
    /// - Parameters:
    ///   - name: its name.
    ///   - isAdministrator: whether to include figures of the download, and the reason of a
    ///     failure.
    /// - Returns: the model; nil if there is no model with that name.
    package func model(_ name: String, isAdministrator: Bool) -> Model? {
        guard let state = states[name] else { return nil }
        var model = model(name, state, isAdministrator: isAdministrator)
        model.maxThinkingTokens = thinkingLimits[name]
        return model
    }

    private func model(_ name: String, _ state: State, isAdministrator: Bool) -> Model {
        let isDefault = name == defaultName ? true : nil
        switch state {
        case .fetching(let progress):
            return Model(
                name: name,
                state: .fetching,
                progress: progress.share,
                fetch: isAdministrator ? progress : nil
            )
        case .loading(let share):
            return Model(name: name, state: .loading, isDefault: isDefault, progress: share)
        case .ready(let contextLength):
            return Model(
                name: name,
                state: .ready,
                isDefault: isDefault,
                contextLength: contextLength
            )
        case .unloading:
            return Model(name: name, state: .unloading, isDefault: isDefault)
        case .unloaded:
            return Model(name: name, state: .unloaded, isDefault: isDefault)
        case .standby(let contextLength), .leaving(let contextLength):
            return Model(
                name: name,
                state: .standby,
                isDefault: isDefault,
                contextLength: contextLength
            )
        case .failed(let reason):
            return Model(
                name: name,
                state: .failed,
                isDefault: isDefault,
                reason: isAdministrator ? reason.description : nil,
                reasonCode: isAdministrator ? reason.code : nil
            )
        }
    }

    /// All models as clients see them, the default first.
    package func models(isAdministrator: Bool) -> [Model] {
        let others = names.filter { $0 != defaultName }
        return ([defaultName].compactMap(\.self) + others).compactMap {
            model($0, isAdministrator: isAdministrator)
        }
    }
}
