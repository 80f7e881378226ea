// What the parts of a site cost, as `stoa bench site` measures them. All times are processor time, which
// other work on the machine changes less than the time by the clock.

/// The measured costs of servers, database and engine.
public struct SiteCosts: Codable, Equatable, Sendable {
    /// Where and when they were measured.
    public struct Machine: Codable, Equatable, Sendable {
        /// The processor's model name.
        public var processor: String
        /// Processor cores of the machine.
        public var cores: Int
        /// Memory of the machine, in bytes.
        public var memory: Double
        /// The version of Stoa.
        public var version: String

        /// Creates a description.
        public init(processor: String, cores: Int, memory: Double, version: String) {
            self.processor = processor
            self.cores = cores
            self.memory = memory
            self.version = version
        }
    }

    /// What a server costs: seconds of its processor time, and bytes of its memory.
    public struct Node: Codable, Equatable, Sendable {
        /// Processors in use by a server without connections and turns.
        public var idle = 0.0
        /// Processors in use by an idle connection.
        public var connection = 0.0
        /// Processors in use while answers grow, however many: work that is merged.
        public var busy = 0.0
        /// Seconds for a turn with one reader, without its deltas.
        public var turn = 0.0
        /// Further seconds for a turn where there is another node, which reads the queue.
        public var turnBeside = 0.0
        /// Seconds for each token of a turn's prompt: read from the database, and tokenized.
        public var promptToken = 0.0
        /// Seconds for a turn, for each further reader.
        public var turnReader = 0.0
        /// Seconds for a delta, without its subscribers.
        public var delta = 0.0
        /// Seconds to send a delta to one subscriber.
        public var deltaReader = 0.0
        /// Seconds on another node for each second of an answer that has a reader there, and on the
        /// node that generates it.
        public var remoteAnswerSecond = 0.0
        /// Bytes of a server without connections.
        public var memory = 0.0
        /// Bytes for each idle connection.
        public var connectionMemory = 0.0
        /// Seconds from a question to the first delta on an idle server, without the engine.
        public var firstToken = 0.0

        /// Creates costs of zero.
        public init() {}
    }

    /// What PostgreSQL costs: seconds of its processor time, statements, and bytes.
    public struct Database: Codable, Equatable, Sendable {
        /// Processors in use for a node without turns.
        public var idle = 0.0
        /// Processors in use for a node on which answers grow, however many.
        public var busy = 0.0
        /// Seconds for a turn with one member, without the time in which its answer grows.
        public var turn = 0.0
        /// Further seconds for a turn where there is another node.
        public var turnBeside = 0.0
        /// Seconds for each token of a turn's prompt.
        public var promptToken = 0.0
        /// Seconds for a turn, for each further member of its conversation.
        public var turnReader = 0.0
        /// Seconds for each second in which an answer grows: its checkpoints.
        public var answerSecond = 0.0
        /// Seconds for each second in which an answer grows, for each other node with a reader.
        public var remoteAnswerSecond = 0.0
        /// Statements of a turn, without those of the time in which its answer grows.
        public var turnStatements = 0.0
        /// Statements for each second in which an answer grows.
        public var answerSecondStatements = 0.0
        /// Bytes of WAL for a turn with one member.
        public var turnWAL = 0.0
        /// Bytes of WAL for a turn, for each further member.
        public var turnReaderWAL = 0.0
        /// Bytes of WAL for each second in which an answer grows.
        public var answerSecondWAL = 0.0
        /// Bytes of WAL for each second in which an answer grows, for each other node with a reader.
        public var remoteAnswerSecondWAL = 0.0
        /// Bytes of PostgreSQL's processes with one node, buffers that were used included.
        public var memory = 0.0

        /// Creates costs of zero.
        public init() {}
    }

    /// Where they were measured.
    public var machine: Machine
    /// A server's costs.
    public var node: Node
    /// PostgreSQL's costs.
    public var database: Database
    /// The engine's speed.
    public var engine: EngineSpeed

    /// Creates costs.
    public init(machine: Machine, node: Node, database: Database, engine: EngineSpeed) {
        self.machine = machine
        self.node = node
        self.database = database
        self.engine = engine
    }
}
