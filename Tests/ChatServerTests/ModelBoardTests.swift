// States of a server's models, as a table: no engine, no thread, no folder.

import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import Testing

@Suite("The models of a server")
struct ModelBoardTests {
    typealias State = ModelBoard.State

    @Test(
        "accepts valid updates, and drops late ones",
        arguments: [
            (State.loading(0.2), State.loading(0.4), ModelBoard.Change.progress),
            (.loading(0.4), .loading(0.2), .none),
            (.loading(0.4), .loading(0.4), .none),
            (.loading(0.4), .ready(contextLength: 9), .state),
            (.loading(0.4), .failed(reason: .notLoaded("x")), .state),
            (.ready(contextLength: 9), .loading(1), .none),
            (.ready(contextLength: 9), .failed(reason: .notLoaded("x")), .none),
            (.failed(reason: .notLoaded("x")), .loading(0), .state),
            (.failed(reason: .notLoaded("x")), .fetching(FetchProgress()), .state),
            (.fetching(FetchProgress()), .fetching(FetchProgress(doneBytes: 1)), .progress),
            (.fetching(FetchProgress()), .fetching(FetchProgress()), .none),
            (.fetching(FetchProgress()), .loading(0), .state),
            (.loading(0.4), .fetching(FetchProgress()), .none),
            (.failed(reason: .notLoaded("x")), .failed(reason: .notLoaded("y")), .none),
            (.failed(reason: .notLoaded("x")), .unloaded, .state),
            (.ready(contextLength: 9), .unloading, .state),
            (.ready(contextLength: 9), .unloaded, .none),
            (.loading(0.4), .unloading, .state),
            (.unloading, .loading(0.5), .none),
            (.unloading, .ready(contextLength: 9), .state),
            (.unloading, .unloaded, .state),
            (.unloaded, .unloaded, .none),
            (.unloaded, .unloading, .none),
            (.unloaded, .loading(0), .state),
            (.loading(0), .standby(contextLength: 9), .state),
            (.ready(contextLength: 9), .leaving(contextLength: 9), .state),
            (.ready(contextLength: 9), .standby(contextLength: 9), .none),
            (.leaving(contextLength: 9), .standby(contextLength: 9), .state),
            (.leaving(contextLength: 9), .unloading, .state),
            (.standby(contextLength: 9), .standby(contextLength: 8), .none),
            (.standby(contextLength: 9), .loading(0), .state),
            (.standby(contextLength: 9), .unloaded, .state),
        ]
    )
    func updates(before: State, after: State, change: ModelBoard.Change) {
        var board = ModelBoard()
        #expect(board.update("phi", to: before) == .state)
        #expect(board.update("phi", to: after) == change)
        #expect(board["phi"] == (change == .none ? before : after))
    }

    @Test("a conversation whose model is missing is answered by the default model")
    func standIn() {
        var board = ModelBoard()
        #expect(board.answering(for: "old") == nil)
        _ = board.update("first", to: .loading(0))
        _ = board.update("second", to: .ready(contextLength: 9))
        #expect(board.answering(for: "second") == "second")
        #expect(board.answering(for: "old") == "first")
    }

    @Test("answers of a loading model wait, including those that it replaces a missing model for")
    func claims() {
        var board = ModelBoard()
        _ = board.update("default", to: .ready(contextLength: 9))
        _ = board.update("broken", to: .failed(reason: .notLoaded("x")))
        _ = board.update("slow", to: .loading(0.5))
        // Runs of the failed model are claimed, so that they fail.
        #expect(board.claimable == .allBut(["slow"]))
        _ = board.update("slow", to: .ready(contextLength: 9))
        #expect(board.claimable == .allBut([]))

        var other = ModelBoard()
        _ = other.update("default", to: .loading(0))
        _ = other.update("quick", to: .ready(contextLength: 9))
        #expect(other.claimable == .only(["quick"]))
    }

    @Test("answers of unloaded models come from the default, which administrators choose")
    func unloaded() {
        var board = ModelBoard()
        _ = board.update("first", to: .ready(contextLength: 9))
        _ = board.update("second", to: .ready(contextLength: 9))
        for state in [State.unloading, .unloaded] {
            _ = board.update("second", to: state)
            #expect(board.answering(for: "second") == "first")
            #expect(board.claimable == .allBut([]))
            #expect(board.choosable == ["first"])
        }
        board.choices.defaultName = "none"
        #expect(board.defaultName == "first", "this server does not have the chosen one")
        board.choices.defaultName = "second"
        #expect(board.defaultName == "second")
        #expect(board.models(isAdministrator: false).map(\.name) == ["second", "first"])
        // It is about to be loaded: its answers wait, the others' do not.
        #expect(board.isWaiting(for: "second"))
        #expect(board.claimable == .only(["first"]))
    }

    @Test("answers of a model in standby wait for it, and it can be chosen")
    func standby() {
        var board = ModelBoard()
        _ = board.update("first", to: .ready(contextLength: 9))
        _ = board.update("second", to: .ready(contextLength: 8))
        for state in [State.leaving(contextLength: 8), .standby(contextLength: 8)] {
            _ = board.update("second", to: state)
            #expect(board.answering(for: "second") == "second")
            #expect(board.isWaiting(for: "second"))
            #expect(board.claimable == .allBut(["second"]))
            #expect(board.choosable == ["first", "second"])
            #expect(board.contextLength(of: "second") == 8)
            #expect(board.standbyLength(of: "second") == 8)
            let model = board.model("second", isAdministrator: false)
            #expect(model?.state == .standby && model?.contextLength == 8)
        }
        #expect(board.standbyLength(of: "first") == nil)
        board.choices.defaultName = "second"
        _ = board.remove("first")
        #expect(board.canAnswer, "it is loaded when it is needed")
    }

    @Test(
        "exactly the wanted models are loaded: all but the unloaded ones, and always the default",
        arguments: [
            (State.unloaded, true, ModelBoard.Step.load as ModelBoard.Step?),
            (.unloading, true, .keep),
            (.ready(contextLength: 9), true, nil),
            (.loading(0), true, nil),
            (.failed(reason: .notLoaded("x")), true, nil),
            (.unloaded, false, nil),
            (.unloading, false, nil),
            (.ready(contextLength: 9), false, .unload),
            (.loading(0), false, .unload),
            (.failed(reason: .notLoaded("x")), false, .unload),
            (.fetching(FetchProgress()), false, nil),
            (.standby(contextLength: 9), true, nil),
            (.standby(contextLength: 9), false, .unload),
            (.leaving(contextLength: 9), true, nil),
            (.leaving(contextLength: 9), false, .unload),
        ]
    )
    func steps(state: State, isWanted: Bool, step: ModelBoard.Step?) {
        var board = ModelBoard()
        _ = board.update("default", to: .ready(contextLength: 9))
        _ = board.update("phi", to: state)
        board.choices.unloaded = isWanted ? ["default"] : ["default", "phi"]
        #expect(board.step(for: "phi") == step)
        #expect(board.step(for: "default") == nil)
    }

    @Test("administrators see why a model failed, others only that it did")
    func reasons() {
        var board = ModelBoard()
        _ = board.update("phi", to: .failed(reason: .notLoaded("/models/phi has no config.json")))
        #expect(board.model("phi", isAdministrator: true)?.reason?.contains("/models") == true)
        #expect(board.model("phi", isAdministrator: false)?.reason == nil)
        #expect(board.model("phi", isAdministrator: false)?.state == .failed)
        #expect(board.choosable == [])
        let half = FetchProgress(doneBytes: 1, totalBytes: 2, bytesPerSecond: 1, secondsLeft: 1)
        _ = board.update("new", to: .fetching(half))
        #expect(board.model("new", isAdministrator: true)?.fetch == half)
        #expect(board.model("new", isAdministrator: false)?.fetch == nil)
        #expect(board.model("new", isAdministrator: false)?.progress == 0.5)
        #expect(board.choosable == [], "it is not here yet")
        let removals = [board.remove("new"), board.remove("new")]
        #expect(removals == [true, false])
        #expect(board.model("none", isAdministrator: true) == nil)
    }
}
