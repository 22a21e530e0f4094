package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/shoptest"
	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore"
	reads "shop/readapi/staff"
)

// onAir is a desk behind a real server, whose streams are followed.
type onAir struct {
	*opsDesk
	server *http.Server
	url    string
}

func (d *opsDesk) air() *onAir { return d.airWithin(0) }

// airWithin is air with other deadlines for requests; 0: those of production.
func (d *opsDesk) airWithin(deadline time.Duration) *onAir {
	d.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.t.Fatal(err)
	}
	a := &onAir{d, newServer(d.http, shoptest.Quiet), "http://" + listener.Addr().String()}
	if deadline > 0 {
		a.server.ReadTimeout, a.server.WriteTimeout = deadline, deadline
	}
	a.server.RegisterOnShutdown(d.site.Ops.Live.Close)
	a.server.RegisterOnShutdown(d.site.Live.Close)
	watching := app.Background(context.Background(), d.site.Ops.Watch)
	telling := app.Background(context.Background(), d.site.Live.Run)
	served := make(chan struct{})
	go func() { defer close(served); a.server.Serve(listener) }()
	d.t.Cleanup(func() { a.server.Close(); <-served; watching.Stop(); telling.Stop() })
	return a
}

// message is one of a stream; its kind is empty for a comment.
type message struct {
	kind, data string
	// came is when it was read.
	came time.Time
}

// listener is an open stream.
type listener struct {
	t        *testing.T
	response *http.Response
	messages chan message // closed at the end of the stream
}

// listen opens a stream; a status other than 200 is answered without one.
func (a *onAir) listen(role staff.Role, query string) (*listener, int) {
	a.t.Helper()
	return a.listenTo(role, "/api/ops/live"+query)
}

func (a *onAir) listenTo(role staff.Role, path string) (*listener, int) {
	a.t.Helper()
	in := a.as(role)
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.url+path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Cookie", in.cookie)
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 {
		return nil, response.StatusCode
	}
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream; charset=utf-8" || response.Header.Get("Content-Encoding") != "" {
		a.t.Errorf("the stream's headers: %v", response.Header)
	}
	l := &listener{a.t, response, make(chan message, 1000)}
	go func() {
		defer close(l.messages)
		var m message
		for lines := bufio.NewReader(response.Body); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			switch line = strings.TrimSuffix(line, "\n"); {
			case strings.HasPrefix(line, "event: "):
				m.kind = line[len("event: "):]
			case strings.HasPrefix(line, "data: "):
				m.data = line[len("data: "):]
			case line == "" && m.kind != "":
				m.came = time.Now()
				l.messages <- m
				m = message{}
			}
		}
	}()
	return l, 200
}

// next waits for a message of a kind that is what one waits for, and skips others.
func (l *listener) next(kind string, wanted func(data string) bool) message {
	l.t.Helper()
	patience := time.After(time.Minute)
	for {
		select {
		case m, open := <-l.messages:
			if !open {
				l.t.Fatalf("the stream ended before %s", kind)
			}
			if m.kind == kind && (wanted == nil || wanted(m.data)) {
				return m
			}
		case <-patience:
			l.t.Fatalf("no such %s within a minute", kind)
		}
	}
}

// over waits for the stream's end.
func (l *listener) over(why string) {
	l.t.Helper()
	patience := time.After(time.Minute)
	for {
		select {
		case _, open := <-l.messages:
			if !open {
				return
			}
		case <-patience:
			l.t.Fatalf("the stream goes on a minute after %s", why)
		}
	}
}

// current waits for the first message of each kind, after which a stream shows whatever changes.
func (l *listener) current() *listener {
	l.t.Helper()
	for _, kind := range []string{"projections", "builds", "deadletters"} {
		l.next(kind, nil)
	}
	return l
}

func TestLiveTellsWhatChanges(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	a := d.air()
	open := func(role staff.Role, query string) *listener {
		t.Helper()
		l, status := a.listen(role, query)
		if status != 200 {
			t.Fatalf("the stream is answered with %d", status)
		}
		return l.current()
	}
	d.as(staff.Manager) // signed in before: it is an event itself
	operator, manager, picky := open(staff.Operator, ""), open(staff.Manager, ""), open(staff.Operator, "?stream=category-*&actor=staff:7")

	// What is appended comes within a second, to each by their filter and role.
	appended := time.Now()
	d.category("staff:8", "face")
	if m := operator.next("events", nil); !strings.Contains(m.data, `"category.added"`) || m.came.Sub(appended) > 10*time.Second {
		t.Errorf("after %s: %s", m.came.Sub(appended), m.data)
	} else {
		t.Logf("an event came after %s", m.came.Sub(appended))
	}
	d.category("staff:7", "body")
	if m := picky.next("events", nil); strings.Contains(m.data, "staff:8") || !strings.Contains(m.data, `"name":"body"`) {
		t.Errorf("to who asked for staff:7: %s", m.data)
	}
	d.add("new@shop.example", staff.Support)
	isAccount := func(data string) bool { return strings.Contains(data, `"staff.added"`) }
	if m := operator.next("events", isAccount); strings.Contains(m.data, "new@shop") || !strings.Contains(m.data, `"email":"•••"`) {
		t.Errorf("to the operator: %s", m.data)
	}
	if m := manager.next("events", isAccount); !strings.Contains(m.data, "new@shop.example") {
		t.Errorf("to the manager: %s", m.data)
	}
	var told struct{ Events []json.RawMessage }
	for i := range 3 * ops.EventsPerMessage {
		d.plant("staff-x", "staff.disabled", fmt.Sprintf(`{"at":"2026-01-01T00:00:%02dZ"}`, i%60))
	}
	for n := 0; n < ops.EventsPerMessage; {
		m := operator.next("events", nil)
		if err := json.Unmarshal([]byte(m.data), &told); err != nil || len(told.Events) > ops.EventsPerMessage {
			t.Fatalf("%d at once, %v", len(told.Events), err)
		}
		n += len(told.Events)
	}

	// So do states and counts.
	d.got(staff.Operator, 204, "POST", "/api/ops/projections/stock/pause/", "{}", nil)
	stock := func(data string) reads.Projection {
		var view reads.Projections
		if err := json.Unmarshal([]byte(data), &view); err != nil {
			t.Fatal(err)
		}
		for _, p := range view.Projections {
			if p.Name == "stock" {
				return p
			}
		}
		return reads.Projection{}
	}
	manager.next("projections", func(data string) bool { return stock(data).State == "paused" })
	d.got(staff.Operator, 204, "POST", "/api/ops/projections/stock/resume/", "{}", nil)
	manager.next("projections", func(data string) bool { return stock(data).State == "live" })
	d.got(staff.Operator, 202, "POST", "/api/ops/projections/stock/builds/", `{"kind":"verify"}`, nil)
	operator.next("builds", func(data string) bool { return strings.Contains(data, `"kind":"verify"`) })
	d.plant("stock-x", "stock.received", `{"quantity":"x"}`)
	operator.next("deadletters", func(data string) bool { return data == `{"count":1}` })

	// Who signs out hears no more, and neither does who has another role now.
	in := d.as(staff.Manager)
	d.wants("signing out", d.ask("DELETE", "/api/staff/session", "", "Cookie", in.cookie, edge.CsrfHeader, in.csrf), 204, "")
	manager.over("signing out")
	if err := d.team().ChangeRole(t.Context(), "operator@shop.example", staff.Analyst); err != nil {
		t.Fatal(err)
	}
	operator.over("getting another role")
}

func TestLiveStreamsAreLimitedAndStop(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	a := d.air()
	var all []*listener
	for range ops.StreamsPerSession {
		l, status := a.listen(staff.Operator, "")
		if status != 200 {
			t.Fatalf("answered %d", status)
		}
		all = append(all, l.current())
	}
	if _, status := a.listen(staff.Operator, ""); status != 429 {
		t.Errorf("one too many is answered with %d", status)
	}
	// Who closes the page makes room.
	all[0].response.Body.Close()
	until(t, "there is room", func() bool { return len(d.site.Ops.Live.Watching()) < ops.StreamsPerSession })
	l, status := a.listen(staff.Operator, "")
	if status != 200 {
		t.Fatalf("after closing one: %d", status)
	}
	l.current()

	// The end of the server is not held up.
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := a.server.Shutdown(ctx); err != nil {
		t.Errorf("the server stopped after %s: %v", time.Since(began), err)
	}
	for _, l := range append(all[1:], l) {
		l.over("the server's end")
	}
	t.Logf("with %d streams the server stopped after %s", ops.StreamsPerSession, time.Since(began))
	if _, err := d.site.Ops.Live.Join(signin.Session{}, eventstore.Search{}); err == nil {
		t.Error("a stream begins after the end")
	}
}

func TestLiveDropsWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	l := d.site.Ops.Live
	slow, err := l.Join(signin.Session{Token: "slow"}, eventstore.Search{})
	if err != nil {
		t.Fatal(err)
	}
	brisk, err := l.Join(signin.Session{Token: "brisk"}, eventstore.Search{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops.Unread + 1 {
		for _, c := range l.Watching() {
			c.News("count", fmt.Append(nil, i), fmt.Append(nil, i))
			c.News("count", fmt.Append(nil, i), fmt.Append(nil, i)) // nothing new
		}
		<-brisk.Messages
	}
	select {
	case <-slow.Ended:
	default:
		t.Error("who reads nothing is kept")
	}
	select {
	case <-brisk.Ended:
		t.Error("who reads is dropped for another")
	default:
	}
	if now := l.Watching(); len(now) != 1 || now[0] != brisk {
		t.Errorf("%d watch", len(now))
	}
}

func TestStreamsOutliveTheServersDeadlines(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.as(staff.Operator)
	a := d.airWithin(300 * time.Millisecond) // as in production, but shorter than a test
	l, status := a.listen(staff.Operator, "")
	if status != 200 {
		t.Fatalf("answered %d", status)
	}
	l.current()
	for i := range 4 {
		time.Sleep(250 * time.Millisecond) // time itself is what is tested; more of it does no harm
		d.category("guest", fmt.Sprint("later-", i))
		l.next("events", func(data string) bool { return strings.Contains(data, fmt.Sprint("later-", i)) })
	}
}
