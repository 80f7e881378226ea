import Instruments
import Testing

@Suite("Instruments")
struct InstrumentsTests {
    @Test("a value is counted in the first bucket whose bound it does not exceed")
    func buckets() {
        var histogram = Histogram(bounds: [1, 2])
        for value in [0.5, 1, 1.5, 2, 2.5, 100] { histogram.record(value) }
        #expect(histogram.counts == [2, 2, 2])
        #expect(histogram.count == 6)
        #expect(histogram.sum == 107.5)
    }

    @Test("durations are counted in seconds")
    func durations() {
        var histogram = Histogram(bounds: [0.5])
        histogram.record(.milliseconds(250))
        histogram.record(.seconds(2))
        #expect(histogram.counts == [1, 1])
        #expect(histogram.sum == 2.25)
    }

    @Test("histograms of the same bounds add up")
    func sums() {
        var one = Histogram(bounds: [1, 2])
        var other = one
        for value in [0.5, 1.5] { one.record(value) }
        for value in [1.5, 3] { other.record(value) }
        one.add(other)
        #expect(one.counts == [1, 2, 1])
        #expect(one.sum == 6.5)
    }

    @Test("counters and gauges are lines of a name, labels and a number")
    func numbers() {
        let text = PrometheusText.render([
            .counter("bytes_total", "Bytes.", 12),
            MetricFamily(
                .gauge,
                "connections",
                "",
                [.init([("state", "idle")], 3), .init([("state", "busy")], .number(0.5))]
            ),
        ])
        #expect(
            text == """
                # HELP bytes_total Bytes.
                # TYPE bytes_total counter
                bytes_total 12
                # TYPE connections gauge
                connections{state="idle"} 3
                connections{state="busy"} 0.5

                """
        )
    }

    @Test("histogram buckets are cumulative, and the last bound is +Inf")
    func histograms() {
        var histogram = Histogram(bounds: [0.25, 1])
        for value in [0.125, 0.5, 0.5, 8] { histogram.record(value) }
        #expect(
            PrometheusText.render([.histogram("seconds", "", histogram)]) == """
                # TYPE seconds histogram
                seconds_bucket{le="0.25"} 1
                seconds_bucket{le="1"} 3
                seconds_bucket{le="+Inf"} 4
                seconds_sum 9.125
                seconds_count 4

                """
        )
    }

    @Test("special characters in label values are escaped")
    func escaping() {
        let sample = MetricFamily.Sample([("name", "a\"b\\c\nd")], 1)
        let text = PrometheusText.render([MetricFamily(.gauge, "x", "two\nlines", [sample])])
        #expect(
            text == #"# HELP x two\nlines"# + "\n# TYPE x gauge\n"
                + #"x{name="a\"b\\c\nd"} 1"# + "\n"
        )
    }
}
