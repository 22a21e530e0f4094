package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"shop/projections"
)

// programs are those with a database: the home region first.
func (s *scale) programs() []program {
	all := []program{s.home}
	for _, r := range s.regions {
		all = append(all, r.program)
	}
	return all
}

// caughtUp returns when every region has folded what is in the log now.
func (s *scale) caughtUp() {
	s.t.Helper()
	end, err := scalar[int64](s, s.home, `SELECT max(position) FROM eventstore.events`)
	if err != nil {
		s.t.Fatal(err)
	}
	const least = `SELECT coalesce(min(position), 0) FROM eventstore.checkpoints WHERE consumer = ANY ($1)`
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	for _, of := range s.programs() {
		for until := time.Now().Add(90 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			at, err := scalar[int64](s, of, least, names)
			if err == nil && at >= end {
				break
			}
			if time.Now().After(until) {
				for _, r := range s.regions {
					s.t.Logf("%s says\n%s", r.name, r.served.stderr)
				}
				s.t.Fatalf("%s is at %d of %d, %v; the home region says\n%s", of.value("SHOP_ADDR"), at, end, err, s.atHome.stderr)
			}
		}
	}
}

// check compares the regions with the home region and with what was acknowledged, and looks for the erased person in all of them.
func (s *scale) check() {
	const log = `SELECT count(*) || ' ' || md5(string_agg(position || id::text || stream || version || type || schema || recorded_at || data::text || metadata::text, '' ORDER BY position)) FROM eventstore.events`
	s.same("the log", log)
	const tables = `SELECT coalesce(string_agg(table_schema || '.' || table_name, ' ' ORDER BY 1), '') FROM information_schema.tables WHERE table_schema = ANY ($1)`
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	found, err := scalar[string](s, s.home, tables, names)
	if err != nil || len(strings.Fields(found)) < 10 {
		s.t.Fatalf("tables %q, %v", found, err)
	}
	for table := range strings.FieldsSeq(found) {
		s.same(table, fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '' ORDER BY t::text)), '') FROM %s t`, table))
	}
	numbers := map[int64]string{}
	for key, placed := range s.placed {
		if other := numbers[placed.number]; other != "" {
			s.t.Errorf("order %d was answered to %s and to %s", placed.number, key, other)
		}
		numbers[placed.number] = key
	}
	all := slices.Collect(maps.Keys(numbers))
	const wrong = `SELECT coalesce(string_agg(n || ' is there ' || times || ' times', ', '), '') FROM (
		SELECT a.n, count(e.position) AS times FROM unnest($1::bigint[]) AS a (n)
		LEFT JOIN eventstore.events e ON e.type = 'order.placed' AND (e.data ->> 'number')::bigint = a.n GROUP BY a.n) t WHERE times <> 1`
	for _, of := range s.programs() {
		if told, err := scalar[string](s, of, wrong, all); err != nil || told != "" {
			s.t.Errorf("acknowledged orders in the log of %s: %s, %v", of.value("SHOP_ADDR"), told, err)
		}
	}
	for _, of := range s.programs() {
		if parked, err := scalar[int64](s, of, `SELECT count(*) FROM eventstore.dead_letters`); err != nil || parked > 0 {
			s.t.Errorf("%s: %d events are parked, %v", of.value("SHOP_ADDR"), parked, err)
		}
	}
	if len(numbers) < 20 {
		s.t.Errorf("%d orders only", len(numbers))
	}
	if s.reads < 20 || s.late > s.reads/2 {
		s.t.Errorf("%d reads after an order, %d of them say that they are older", s.reads, s.late)
	}
	s.t.Logf("%d acknowledged orders, each once; %d tables of %d regions equal the home region's; %d reads were as new as what the shopper had seen, %d said that they are older",
		len(numbers), len(strings.Fields(found)), len(s.regions), s.reads-s.late, s.late)
}

func (s *scale) same(what, sql string) {
	s.t.Helper()
	home, err := scalar[string](s, s.home, sql)
	for _, r := range s.regions {
		region, failed := scalar[string](s, r.program, sql)
		if err != nil || failed != nil || home != region {
			s.t.Errorf("%s: %s at home, %s in %s, %v, %v", what, home, region, r.name, err, failed)
		}
	}
}
