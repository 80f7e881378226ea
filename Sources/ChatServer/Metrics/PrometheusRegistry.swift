// A swift-metrics backend for Prometheus: keeps values from any thread until they are read. For
// events that happen once per request or less; decision 23 says why.

package import CoreMetrics
package import Instruments
import Synchronization

/// The metrics of one process.
package final class PrometheusRegistry: MetricsFactory {
    private struct Member {
        let labels: [(String, String)]
        let instrument: any Instrument
    }

    private let members = Mutex<[String: [Member]]>([:])

    /// Creates an empty registry.
    package init() {}

    /// All metrics, by name.
    package var families: [MetricFamily] {
        members.withLock { $0 }.sorted { $0.key < $1.key }.compactMap { name, members in
            guard let kind = members.first?.instrument.kind else { return nil }
            let samples = members.map { MetricFamily.Sample($0.labels, $0.instrument.value) }
            return MetricFamily(kind, name, "", samples)
        }
    }

    // MARK: MetricsFactory

    package func makeCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any CounterHandler {
        instrument(label, dimensions, CounterInstrument.init)
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return instrument(label, dimensions, GaugeInstrument.init) }
        return instrument(label, dimensions, HistogramInstrument.init)
    }

    /// A histogram of seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions, HistogramInstrument.init)
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

    /// The instrument with that name and those labels, created if missing.
    private func instrument<Found: Instrument>(
        _ label: String,
        _ labels: [(String, String)],
        _ make: () -> Found
    ) -> Found {
        let name = Self.name(label)
        return members.withLock { members in
            let known = members[name, default: []].first { member in
                member.labels.elementsEqual(labels) { $0 == $1 }
            }
            if let found = known?.instrument as? Found { return found }
            let made = make()
            members[name, default: []].append(Member(labels: labels, instrument: made))
            return made
        }
    }

    private func forget(_ handler: AnyObject) {
        let handler = ObjectIdentifier(handler)
        members.withLock { members in
            members = members.mapValues { list in
                list.filter { ObjectIdentifier($0.instrument) != handler }
            }
        }
    }

    /// Prometheus allows letters, digits and `_`; swift-metrics also uses dots and dashes.
    private static func name(_ label: String) -> String {
        String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}

/// An instrument that can be read.
private protocol Instrument: AnyObject, Sendable {
    var kind: MetricFamily.Kind { get }
    var value: MetricFamily.Value { get }
}

private final class CounterInstrument: CounterHandler, Instrument {
    private let count = Atomic<Int64>(0)

    let kind = MetricFamily.Kind.counter
    var value: MetricFamily.Value { .number(Double(count.load(ordering: .relaxed))) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

private final class GaugeInstrument: RecorderHandler, Instrument {
    private let number = Mutex(0.0)

    let kind = MetricFamily.Kind.gauge
    var value: MetricFamily.Value { .number(number.withLock { $0 }) }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { number.withLock { $0 = value } }
}

private final class HistogramInstrument: RecorderHandler, TimerHandler, Instrument {
    private let histogram = Mutex(Histogram.ofSeconds)

    let kind = MetricFamily.Kind.histogram
    var value: MetricFamily.Value { .histogram(histogram.withLock { $0 }) }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.record(value) } }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
