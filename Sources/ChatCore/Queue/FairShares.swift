// The charges of one priority: the tokens charged to each team and user, and their answers that can
// start.

import ChatProtocol
import FoundationEssentials

/// The charges of each team and user, and the next answer.
struct FairShares: Sendable {
    /// A user inside a team.
    struct User: Sendable {
        /// Tokens charged. A user who had nothing to start is charged for the turns that they
        /// missed.
        var charged: Int64 = 0
        /// Answers that can start, in the order of the requests: the first of each conversation in
        /// which none runs.
        var ready: [QueuedAnswer] = []
    }

    /// A team, with its users.
    struct Team: Sendable {
        var charged: Int64 = 0
        var users: [UserID: User] = [:]
        var readyCount = 0
        /// The current round of its users.
        var round: Int64 = 0
    }

    /// A candidate for the next turn, with its sort keys.
    private struct Candidate {
        let answer: QueuedAnswer
        /// The round in which its turn comes.
        let round: Int64
        /// The number of its request, or of an earlier one of the same user or team.
        let position: Int64

        /// Earlier rounds first; within a round, earlier requests first.
        func isBefore(_ other: Candidate?) -> Bool {
            guard let other else { return true }
            return (round, position) < (other.round, other.position)
        }
    }

    private(set) var teams: [UUID?: Team] = [:]
    /// The current round of the teams.
    private var round: Int64 = 0
    private var changesSincePruning = 0

    /// Adds an answer that can start.
    mutating func add(_ answer: QueuedAnswer) {
        var team = teams.removeValue(forKey: answer.team) ?? Team()
        var user = team.users[answer.user] ?? User()
        if team.readyCount == 0 { team.charged = max(team.charged, round * FairQueue.quantum) }
        if user.ready.isEmpty { user.charged = max(user.charged, team.round * FairQueue.quantum) }
        user.ready.insert(answer, inOrder: \.position)
        team.readyCount += 1
        team.users[answer.user] = user
        teams[answer.team] = team
    }

    /// Removes an answer that can no longer start.
    mutating func remove(_ answer: QueuedAnswer) {
        guard let before = teams[answer.team]?.users[answer.user]?.ready.count else { return }
        teams[answer.team]?.users[answer.user]?.ready.removeAll { $0.message == answer.message }
        let after = teams[answer.team]?.users[answer.user]?.ready.count ?? 0
        teams[answer.team]?.readyCount -= before - after
    }

    /// Charges for an answer that starts, and advances the rounds to its turn.
    mutating func begin(_ answer: QueuedAnswer) {
        charge(answer, answer.tokens) { team, user in
            team.round = max(team.round, Self.round(user.charged))
        }
        round = max(round, Self.round(teams[answer.team]?.charged ?? 0))
        changesSincePruning += 1
        if changesSincePruning > 1000 { prune() }
    }

    /// Charges for more tokens than expected, or refunds for fewer.
    mutating func settle(_ answer: QueuedAnswer, by tokens: Int) {
        charge(answer, tokens) { _, _ in }
    }

    private mutating func charge(
        _ answer: QueuedAnswer,
        _ tokens: Int,
        _ then: (inout Team, User) -> Void
    ) {
        var team = teams.removeValue(forKey: answer.team) ?? Team()
        var user = team.users[answer.user] ?? User()
        user.charged += Int64(tokens)
        team.charged += Int64(tokens)
        team.users[answer.user] = user
        then(&team, user)
        teams[answer.team] = team
    }

    /// The next answer to start.
    /// - Parameters:
    ///   - hasRoom: whether a team may have one more run.
    ///   - isAllowed: whether an answer can start at all; those that cannot are skipped.
    ///   - fits: whether its user may have it running now; if not, their later ones wait too.
    /// - Returns: the answer; nil if none may start.
    func choice(
        team hasRoom: (UUID?) -> Bool,
        answer isAllowed: (QueuedAnswer) -> Bool,
        fits: (QueuedAnswer) -> Bool
    ) -> QueuedAnswer? {
        var best: Candidate?
        for (id, team) in teams where team.readyCount > 0 && hasRoom(id) {
            var first: Candidate?
            for user in team.users.values {
                guard let answer = user.ready.first(where: isAllowed), fits(answer) else {
                    continue
                }
                let candidate = Candidate(
                    answer: answer,
                    round: Self.round(user.charged + Int64(answer.tokens)),
                    position: answer.position
                )
                if candidate.isBefore(first) { first = candidate }
            }
            guard let first else { continue }
            let candidate = Candidate(
                answer: first.answer,
                round: Self.round(team.charged + Int64(first.answer.tokens)),
                position: first.position
            )
            if candidate.isBefore(best) { best = candidate }
        }
        return best?.answer
    }

    /// The order in which answers would start if no other arrived and nothing delayed them.
    func order(of answers: [QueuedAnswer]) -> [QueuedAnswer] {
        let byTeam = Dictionary(grouping: answers, by: \.team).map { id, answers in
            let team = teams[id] ?? Team()
            let inside = Self.inRounds(
                Dictionary(grouping: answers, by: \.user).map { user, answers in
                    let charged = team.users[user]?.charged ?? 0
                    return (
                        team.users[user]?.ready.isEmpty == false
                            ? charged : max(charged, team.round * FairQueue.quantum),
                        answers.sorted { $0.position < $1.position }
                    )
                }
            )
            let charged =
                team.readyCount > 0
                ? team.charged : max(team.charged, round * FairQueue.quantum)
            return (charged, inside)
        }
        return Self.inRounds(byTeam)
    }

    /// Merges the users' or teams' sequences, each with its charge so far, by the rounds of their
    /// answers.
    private static func inRounds(
        _ lines: [(charged: Int64, answers: [QueuedAnswer])]
    ) -> [QueuedAnswer] {
        var candidates: [Candidate] = []
        for line in lines {
            var charged = line.charged
            var last = (round: Int64.min, position: Int64.min)
            for answer in line.answers {
                charged += Int64(answer.tokens)
                // A later one of the same sequence never precedes an earlier one.
                let own = (round: Self.round(charged), position: answer.position)
                if last < own { last = own }
                candidates.append(
                    Candidate(answer: answer, round: last.round, position: last.position)
                )
            }
        }
        return candidates.enumerated().sorted { first, second in
            if first.element.isBefore(second.element) { return true }
            return !second.element.isBefore(first.element) && first.offset < second.offset
        }.map(\.element.answer)
    }

    private static func round(_ tokens: Int64) -> Int64 {
        (max(0, tokens) + FairQueue.quantum - 1) / FairQueue.quantum
    }

    /// Forgets users and teams with no answers and no charges to remember.
    private mutating func prune() {
        changesSincePruning = 0
        for (id, team) in teams {
            let floor = team.round * FairQueue.quantum
            teams[id]?.users = team.users.filter { !$1.ready.isEmpty || $1.charged > floor }
            if team.readyCount == 0, teams[id]?.users.isEmpty == true,
                team.charged <= round * FairQueue.quantum
            {
                teams[id] = nil
            }
        }
    }
}
