package live

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore"
)

// shop is what a hub looks at, as a test sets it.
type shop struct {
	head    eventstore.Position
	types   []string
	letters int64
	roles   map[string]string
	asked   int
}

func (s *shop) Head(context.Context) (eventstore.Position, error) { return s.head, nil }

func (s *shop) TypesBetween(context.Context, eventstore.Position, eventstore.Position) ([]string, error) {
	s.asked++
	return s.types, nil
}

func (s *shop) Stuck(context.Context) (letters, parked, refunds int64, err error) {
	return s.letters, 0, 0, nil
}

func (s *shop) SignedInAs(context.Context, []string) (map[string]string, error) { return s.roles, nil }

func (s *shop) happened(types ...string) {
	s.head, s.types = s.head+eventstore.Position(len(types)), types
}

func hubOf(s *shop) *Hub {
	return &Hub{Log: s, Changes: s, Sessions: s, Logger: slog.New(slog.DiscardHandler)}
}

func enter(t *testing.T, h *Hub, role staff.Role, token string) *client {
	t.Helper()
	c, err := h.join(signin.Session{Token: token, Account: signin.Account{Role: string(role)}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func heard(c *client) string {
	var all strings.Builder
	for {
		select {
		case m := <-c.messages:
			all.Write(m)
		default:
			return all.String()
		}
	}
}

func TestARoleHearsOfWhatItMaySee(t *testing.T) {
	t.Parallel()
	s := &shop{head: 5, roles: map[string]string{"m": "manager", "c": "catalog", "a": "analyst", "o": "courier", "x": "content"}}
	h := hubOf(s)
	manager, keeper, analyst, courier, content := enter(t, h, staff.Manager, "m"), enter(t, h, staff.Catalog, "c"), enter(t, h, staff.Analyst, "a"),
		enter(t, h, staff.Courier, "o"), enter(t, h, staff.Content, "x")
	at := &look{end: -1}
	tell := func() {
		t.Helper()
		if err := h.tell(t.Context(), h.watching(), at); err != nil {
			t.Fatal(err)
		}
	}
	tell()
	s.happened("order.placed", "order.paid", "stock.reserved", "review.posted", "customer.registered")
	tell()
	for who, want := range map[*client]string{
		manager: `{"topics":["orders","payments","reviews","stock"],"position":10}`, keeper: `{"topics":["stock"],"position":10}`,
		analyst: `{"topics":["orders","stock"],"position":10}`, courier: `{"topics":["orders"],"position":10}`, content: "",
	} {
		if want != "" {
			want = "event: changed\ndata: " + want + "\n\n"
		}
		if got := heard(who); got != want {
			t.Errorf("%s hears %q, want %q", who.role, got, want)
		}
	}
	// The same place in the log is not read again.
	asked := s.asked
	tell()
	if s.asked != asked || heard(manager) != "" {
		t.Error("something is told though nothing happened")
	}
	// What no event tells of is noticed by its count.
	at.checked, s.letters = at.checked.Add(-checkEvery), 1
	tell()
	if got := heard(manager); !strings.Contains(got, `"letters"`) {
		t.Errorf("a letter that could not be sent: %q", got)
	}
	if got := heard(analyst); got != "" {
		t.Errorf("the analyst hears %q", got)
	}
}

func TestWhoLostTheRoleHearsNoMore(t *testing.T) {
	t.Parallel()
	s := &shop{roles: map[string]string{"m": "manager", "n": "manager"}}
	h := hubOf(s)
	changed, stays := enter(t, h, staff.Manager, "m"), enter(t, h, staff.Manager, "n")
	at := &look{end: 0}
	s.roles["m"] = "content"
	s.happened("order.placed")
	if err := h.tell(t.Context(), h.watching(), at); err != nil {
		t.Fatal(err)
	}
	if got := heard(changed); got != "" {
		t.Errorf("who has another role now hears %q", got)
	}
	select {
	case <-changed.ended:
	default:
		t.Error("the stream of who has another role goes on")
	}
	if heard(stays) == "" {
		t.Error("the other manager hears nothing")
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := &shop{roles: map[string]string{"m": "manager"}}
	h := hubOf(s)
	var all []*client
	for range StreamsPerSession {
		all = append(all, enter(t, h, staff.Manager, "m"))
	}
	if _, err := h.join(signin.Session{Token: "m"}); err == nil {
		t.Error("one too many is let in")
	}
	h.leave(all[0])
	slow := enter(t, h, staff.Manager, "m")
	for range unread + 1 {
		for _, c := range h.watching() {
			c.say(Event("changed", []byte("{}")))
			if c != slow {
				heard(c)
			}
		}
	}
	if slices.Contains(h.watching(), slow) || h.Open() != StreamsPerSession-1 {
		t.Errorf("who reads nothing is kept; %d are open", h.Open())
	}
	h.Close()
	if _, err := h.join(signin.Session{Token: "z"}); err == nil || h.Open() != 0 {
		t.Error("a stream begins after the end")
	}
}
