package searches_test

import (
	"testing"
	"time"

	"shop/commands/searches"
	"shop/migrations/pgtest"
)

func TestMissedSearchesAreCountedByDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	m := searches.Missed{DB: pgtest.Open(t), Now: func() time.Time { return now }}
	count := func(text string, times int) {
		for range times {
			if err := m.Count(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	count("тушь", 2)
	count("раз", 1)
	now = now.AddDate(0, 0, 1)
	count("тушь", 3)
	count("кефир", 2)
	found, err := m.List(t.Context(), 30, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].Query != "тушь" || found[0].Times != 3 || found[1].Times != 2 || !found[0].Day.After(found[1].Day) {
		t.Errorf("listed %+v", found)
	}
	now = now.AddDate(2, 0, 0)
	count("новое", 3)
	if found, err = m.List(t.Context(), 1000, 10); err != nil || len(found) != 1 {
		t.Errorf("after two years %+v %v", found, err)
	}
}
