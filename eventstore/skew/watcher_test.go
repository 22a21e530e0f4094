package skew_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"shop/eventstore/skew"
	"shop/migrations/pgtest"
)

func TestAWrongClockIsTold(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t)
	for wrong, warns := range map[time.Duration]bool{0: false, -time.Hour: true, time.Hour: true} {
		var said bytes.Buffer
		reader := metric.NewManualReader()
		gauge, err := metric.NewMeterProvider(metric.WithReader(reader)).Meter("test").Float64Gauge("shop.clock.skew")
		if err != nil {
			t.Fatal(err)
		}
		skew.Watcher{
			Pool: pool, Clock: func() time.Time { return time.Now().Add(wrong) }, Logger: slog.New(slog.NewTextHandler(&said, nil)),
			Gauge: gauge, Within: time.Minute,
		}.Look(t.Context())
		if got := strings.Contains(said.String(), "clock"); got != warns {
			t.Errorf("a clock that is %s ahead: %q", wrong, said.String())
		}
		var found metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &found); err != nil {
			t.Fatal(err)
		}
		told := found.ScopeMetrics[0].Metrics[0]
		value := told.Data.(metricdata.Gauge[float64]).DataPoints[0].Value
		if told.Name != "shop.clock.skew" || (value-wrong.Seconds() > 5 || value-wrong.Seconds() < -5) {
			t.Errorf("%s is %f, want %f", told.Name, value, wrong.Seconds())
		}
	}
}
