// The models of a server and their states. A value: events go in, changes for clients come out. The
// pool owns engines, threads and folders.

package import ChatCore
package import ChatProtocol

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
        /// Downloading or loading it failed; why, and what an administrator can do.
        case failed(reason: ModelFailure)
    }

    /// What an update changed.
    package enum Change: Sendable, Hashable {
        /// Nothing that clients must know.
        case none
        /// The progress in the same state.
        case progress
        /// The state.
        case state
    }

    /// The models' names, in the order in which they were added.
    package private(set) var names: [String] = []
    private var states: [String: State] = [:]

    package init() {}

    /// A model's state; nil if there is no model with that name.
    package subscript(name: String) -> State? { states[name] }

    /// The model for conversations that name none.
    package var defaultName: String? { names.first }

    /// Updates a model's state. Late updates for a ready model are dropped, and progress never
    /// decreases.
    package mutating func update(_ name: String, to state: State) -> Change {
        guard let old = states[name] else {
            names.append(name)
            states[name] = state
            return .state
        }
        switch (old, state) {
        case (.ready, _), (.failed, .failed), (.loading, .fetching):
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
    /// server has no model with that name, as after a restart with other models.
    package func answering(for model: String) -> String? {
        states[model] == nil ? defaultName : model
    }

    /// Whether answers in conversations that name `model` wait for a model that is not ready.
    package func isWaiting(for model: String) -> Bool {
        answering(for: model).map(waits) ?? false
    }

    /// The models whose runs can be claimed now; including failed models, so that their runs fail
    /// with the reason.
    package var claimable: ModelFilter {
        let waiting = names.filter(waits)
        if let defaultName, waits(defaultName) {
            return .only(names.filter { !waits($0) })
        }
        return .allBut(waiting)
    }

    /// The models that a conversation may select.
    package var choosable: [String] {
        names.filter { name in
            switch states[name] {
            case .loading?, .ready?: true
            case .fetching?, .failed?, nil: false
            }
        }
    }

    /// Whether any model is ready.
    package var canAnswer: Bool {
        states.values.contains { if case .ready = $0 { true } else { false } }
    }

    /// Whether any model is expected to become ready.
    package var isWaiting: Bool { names.contains(where: waits) }

    private func waits(_ name: String) -> Bool {
        switch states[name] {
        case .fetching?, .loading?: true
        case .ready?, .failed?, nil: false
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

    /// All models as clients see them.
    package func models(isAdministrator: Bool) -> [Model] {
        names.compactMap { model($0, isAdministrator: isAdministrator) }
    }
}
