// The books of one priority: what each team and each user was charged with, and what of theirs can begin.

import ChatProtocol
import FoundationEssentials

/// What each was charged with, and who is next.
struct FairShares: Sendable {
    /// A user inside a team.
    struct User: Sendable {
        /// Tokens charged, counted so that nobody is behind who could not use their turn.
        var charged: Int64 = 0
        /// What can begin, in the order of asking: the first of each of their conversations in which
        /// none is being made.
        var ready: [QueuedAnswer] = []
    }

    /// A team, with its users.
    struct Team: Sendable {
        var charged: Int64 = 0
        var users: [UserID: User] = [:]
        var readyCount = 0
        /// The round that its users are in.
        var round: Int64 = 0
    }

    /// A choice among several, with what decides.
    private struct Candidate {
        let answer: QueuedAnswer
        /// The round in which its turn comes.
        let round: Int64
        /// Its number in the order of asking, or that of one before it in the same line.
        let position: Int64

        /// Earlier rounds first; in a round, who asked first.
        func isBefore(_ other: Candidate?) -> Bool {
            guard let other else { return true }
            return (round, position) < (other.round, other.position)
        }
    }

    private(set) var teams: [UUID?: Team] = [:]
    /// The round that the teams are in.
    private var round: Int64 = 0
    private var changesSincePruning = 0

    /// Takes an answer that can begin.
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

    /// Takes back an answer that cannot begin any more.
    mutating func remove(_ answer: QueuedAnswer) {
        guard let before = teams[answer.team]?.users[answer.user]?.ready.count else { return }
        teams[answer.team]?.users[answer.user]?.ready.removeAll { $0.message == answer.message }
        let after = teams[answer.team]?.users[answer.user]?.ready.count ?? 0
        teams[answer.team]?.readyCount -= before - after
    }

    /// Charges for an answer that begins: the rounds go on to its own.
    mutating func begin(_ answer: QueuedAnswer) {
        charge(answer, answer.tokens) { team, user in
            team.round = max(team.round, Self.round(user.charged))
        }
        round = max(round, Self.round(teams[answer.team]?.charged ?? 0))
        changesSincePruning += 1
        if changesSincePruning > 1000 { prune() }
    }

    /// Charges for tokens more than were expected, or gives back for fewer.
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

    /// Whose turn it is.
    /// - Parameters:
    ///   - hasRoom: whether a team may have one more made.
    ///   - isAllowed: whether an answer can begin at all; those that cannot are passed over.
    ///   - fits: whether its asker may have it made now; who may not waits, their next ones too.
    /// - Returns: the answer; nil where none may begin.
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

    /// The order in which answers would begin if nothing else came and nothing held them up.
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

    /// Merges lines, each with what it was charged so far, by the rounds of their elements.
    private static func inRounds(
        _ lines: [(charged: Int64, answers: [QueuedAnswer])]
    ) -> [QueuedAnswer] {
        var candidates: [Candidate] = []
        for line in lines {
            var charged = line.charged
            var last = (round: Int64.min, position: Int64.min)
            for answer in line.answers {
                charged += Int64(answer.tokens)
                // A later one of the same line never goes before an earlier one.
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

    /// Forgets those who have nothing here and owe nothing.
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
