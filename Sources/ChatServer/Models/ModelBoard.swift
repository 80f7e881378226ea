// Which models a server has and what each is doing. A value: what happens goes in, what clients have to
// be told comes out. Engines, threads and folders are the pool's business.

package import ChatCore
package import ChatProtocol

/// The models of a server, the default first.
package struct ModelBoard {
    /// What a model is doing.
    package enum State: Sendable, Hashable {
        /// It is on its way from the hub.
        case fetching(FetchProgress)
        /// Its files are being read; the share that is done, 0 to 1.
        case loading(Double)
        /// It answers; the longest prompt and answer together, in tokens.
        case ready(contextLength: Int)
        /// It could not be fetched or loaded; why, and what an administrator can do.
        case failed(reason: String)
    }

    /// How much of a change an update was.
    package enum Change: Sendable, Hashable {
        /// Nothing that clients have to be told.
        case none
        /// The same state, further on.
        case progress
        /// Another state.
        case state
    }

    /// The models' names, in the order in which they came.
    package private(set) var names: [String] = []
    private var states: [String: State] = [:]

    package init() {}

    /// What a model is doing; nil where there is none of that name.
    package subscript(name: String) -> State? { states[name] }

    /// The model of conversations that name none.
    package var defaultName: String? { names.first }

    /// Takes what a model is doing now. Late news of a model that answers is dropped, and progress
    /// never falls.
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

    /// Takes a model off the board.
    /// - Returns: whether it was there.
    package mutating func remove(_ name: String) -> Bool {
        names.removeAll { $0 == name }
        return states.removeValue(forKey: name) != nil
    }

    // MARK: Answering

    /// The model that answers in conversations of `model`: that one, or the default where this
    /// server has none of that name, as after a restart with other models.
    package func answering(for model: String) -> String? {
        states[model] == nil ? defaultName : model
    }

    /// Whether answers in conversations of `model` wait for the model that makes them.
    package func isWaiting(for model: String) -> Bool {
        answering(for: model).map(waits) ?? false
    }

    /// The models whose answers can be begun now; those of a model that failed, too, to be told so.
    package var claimable: ModelFilter {
        let waiting = names.filter(waits)
        if let defaultName, waits(defaultName) {
            return .only(names.filter { !waits($0) })
        }
        return .allBut(waiting)
    }

    /// The models that a conversation can be given.
    package var choosable: [String] {
        names.filter { name in
            switch states[name] {
            case .loading?, .ready?: true
            case .fetching?, .failed?, nil: false
            }
        }
    }

    /// Whether some model answers.
    package var canAnswer: Bool {
        states.values.contains { if case .ready = $0 { true } else { false } }
    }

    /// Whether some model will answer, if nothing goes wrong.
    package var isWaiting: Bool { names.contains(where: waits) }

    private func waits(_ name: String) -> Bool {
        switch states[name] {
        case .fetching?, .loading?: true
        case .ready?, .failed?, nil: false
        }
    }

    // MARK: Telling

    /// A model as clients are told of it.
    /// - Parameters:
    ///   - name: which.
    ///   - isAdministrator: whether they are told how fast it is fetched, and why it failed.
    /// - Returns: the model; nil where there is none of that name.
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
                reason: isAdministrator ? reason : nil
            )
        }
    }

    /// All models as clients are told of them.
    package func models(isAdministrator: Bool) -> [Model] {
        names.compactMap { model($0, isAdministrator: isAdministrator) }
    }
}
