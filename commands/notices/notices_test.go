package notices

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/mail"
	"shop/domain/staff"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// came is a request that a stand-in server got.
type came struct {
	path   string
	header http.Header
	body   []byte
}

// desk is a board with a worker, and a server that stands in for push services, webhooks and Telegram.
type desk struct {
	*Board
	t      *testing.T
	db     *pgxpool.Pool
	worker *Worker
	server *httptest.Server
	logs   *bytes.Buffer

	mu   sync.Mutex
	time time.Time
	got  []came
	// answers are statuses by the beginning of a path; hang keeps requests to such paths until it is closed.
	answers map[string]int
	hang    map[string]chan struct{}
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{
		t: t, db: pgtest.Open(t), time: time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC), answers: map[string]int{}, hang: map[string]chan struct{}{}, logs: new(bytes.Buffer),
	}
	d.server = httptest.NewTLSServer(http.HandlerFunc(d.take))
	t.Cleanup(d.server.Close)
	guard := &Guard{Private: true, Transport: d.server.Client().Transport.(*http.Transport), Within: 30 * time.Second}
	board, err := NewBoard(d.db, Options{Key: bytes.Repeat([]byte{1}, 32), VAPID: bytes.Repeat([]byte{2}, 32), Clock: d.clock, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	outbox, err := mail.NewOutbox(d.db, bytes.Repeat([]byte{3}, 32), d.clock)
	if err != nil {
		t.Fatal(err)
	}
	d.Board = board
	d.worker = &Worker{
		Board: board, Outbox: outbox, Contact: "mailto:shop@shop.example", PublicURL: "https://shop.example", Telegram: d.server.URL,
		Logger: slog.New(slog.NewTextHandler(d.logs, nil)),
	}
	return d
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.time
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = d.time.Add(by)
}

func (d *desk) answer(beginning string, status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[beginning] = status
}

func (d *desk) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	d.mu.Lock()
	d.got = append(d.got, came{r.URL.Path, r.Header, body})
	status := 200
	var until chan struct{}
	for beginning, said := range d.answers {
		if strings.HasPrefix(r.URL.Path, beginning) {
			status = said
		}
	}
	for beginning, gate := range d.hang {
		if strings.HasPrefix(r.URL.Path, beginning) {
			until = gate
		}
	}
	d.mu.Unlock()
	if until != nil {
		select {
		case <-until:
		case <-r.Context().Done():
		}
	}
	if status >= 300 && status < 400 {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
}

// requests are those to paths with a beginning.
func (d *desk) requests(beginning string) (found []came) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.got {
		if strings.HasPrefix(c.path, beginning) {
			found = append(found, c)
		}
	}
	return found
}

// account is somebody with a role, who chose some causes on both ways.
func (d *desk) account(role staff.Role, c Choice) uuid.UUID {
	d.t.Helper()
	id := uuid.New()
	if _, err := d.db.Exec(d.t.Context(), `INSERT INTO staff_accounts (id, email, role, created_at) VALUES ($1, $2, $3, now())`, id, id.String()+"@shop.example", role); err != nil {
		d.t.Fatal(err)
	}
	if c.Language == "" {
		c.Language = "ru"
	}
	if err := d.Choose(d.t.Context(), id, role, c); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// browser is one of a person that takes pushes.
type browser struct {
	own  *ecdh.PrivateKey
	auth []byte
}

func (d *desk) browser(of uuid.UUID, path string) browser {
	d.t.Helper()
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		d.t.Fatal(err)
	}
	b := browser{own, bytes.Repeat([]byte{9}, 16)}
	s := Subscription{Endpoint: d.server.URL + path}
	s.Keys.P256dh, s.Keys.Auth = base64.RawURLEncoding.EncodeToString(own.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(b.auth)
	if err := d.Subscribe(d.t.Context(), of, "Firefox", s); err != nil {
		d.t.Fatal(err)
	}
	return b
}

func (d *desk) hook(path string, causes ...Cause) uuid.UUID {
	d.t.Helper()
	id, err := d.AddHook(d.t.Context(), "staff:1", HookSetting{Name: "CRM", Kind: JSON, Causes: causes, Language: "en", Enabled: true, URL: d.server.URL + path, Secret: "a-secret-of-sixteen"})
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d *desk) announce(all ...Notice) {
	d.t.Helper()
	if err := d.Announce(d.t.Context(), d.db, all); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) work() {
	d.t.Helper()
	if err := d.worker.Once(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// letters counts what waits in the outbox of the mail.
func (d *desk) letters() (n int) {
	d.t.Helper()
	if err := d.db.QueryRow(d.t.Context(), `SELECT count(*) FROM mail_jobs WHERE kind = 'staff-notice'`).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func (d *desk) waiting() (n int) {
	d.t.Helper()
	if err := d.db.QueryRow(d.t.Context(), `SELECT count(*) FROM notice_jobs WHERE done_at IS NULL AND dead_at IS NULL`).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func newOrder(n int64) Notice {
	return Notice{ID: uuid.New(), Cause: NewOrder, About: About{Number: n, Sum: 13_924}, At: time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)}
}

func TestEachHearsWhatTheyChose(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager := d.account(staff.Manager, Choice{Mail: []Cause{NewOrder, LowReview}, Push: []Cause{NewOrder}, Language: "en"})
	phone := d.browser(manager, "/push/1")
	d.account(staff.Content, Choice{})
	hook := d.hook("/hook", NewOrder)
	if _, err := d.AddHook(t.Context(), "staff:1", HookSetting{
		Name: "Chat", Kind: Telegram, Causes: []Cause{StockLow}, Language: "kk", Enabled: true, Token: "12345:abcdefghijklmnopqrstuvwx", Chat: "-1001",
	}); err != nil {
		t.Fatal(err)
	}
	placed := newOrder(100_321)
	d.announce(placed, Notice{ID: uuid.New(), Cause: StockLow, About: About{Product: "Сабын", Article: "DL-1", Left: 3}, At: d.clock()})
	d.announce(placed) // the same event again
	d.work()

	if n := d.letters(); n != 1 {
		t.Errorf("%d letters", n)
	}
	pushes := d.requests("/push/")
	if len(pushes) != 1 {
		t.Fatalf("%d pushes", len(pushes))
	}
	plain, err := opened(phone.own, phone.auth, pushes[0].body)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`{"id":%q,"title":"New order","text":"Order 100321 · 13`, placed.ID); !strings.HasPrefix(string(plain), want) || !strings.HasSuffix(string(plain), `"path":"/admin/orders/100321"}`) {
		t.Errorf("the push says %s", plain)
	}
	if claims := proved(t, pushes[0].header.Get("Authorization")); claims["aud"] != d.server.URL || claims["sub"] != "mailto:shop@shop.example" {
		t.Errorf("the proof says %v", claims)
	}
	hooks := d.requests("/hook")
	if len(hooks) != 1 {
		t.Fatalf("%d requests to the webhook", len(hooks))
	}
	var body hookBody
	if err := json.Unmarshal(hooks[0].body, &body); err != nil || body.ID != placed.ID || body.Cause != NewOrder || body.About.Number != 100_321 || body.URL != "https://shop.example/admin/orders/100321" {
		t.Errorf("the webhook got %s, %v", hooks[0].body, err)
	}
	at := d.clock().Unix()
	if want := fmt.Sprintf("t=%d,v1=%s", at, Signature("a-secret-of-sixteen", at, hooks[0].body)); hooks[0].header.Get("X-Shop-Signature") != want {
		t.Errorf("signed %q, want %q", hooks[0].header.Get("X-Shop-Signature"), want)
	}
	chat := d.requests("/bot12345:")
	if len(chat) != 1 || !strings.Contains(string(chat[0].body), `"chat_id":"-1001"`) || !strings.Contains(string(chat[0].body), "Тауар таусылып барады: Сабын (DL-1) · Қалғаны: 3") {
		t.Errorf("Telegram got %+v", chat)
	}
	if n := d.waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
	listed, err := d.Hooks(t.Context())
	if err != nil || len(listed) != 2 || listed[0].ID != hook || listed[0].ToldAt == nil || listed[0].Host != strings.TrimPrefix(d.server.URL, "https://") {
		t.Errorf("the list says %+v, %v", listed, err)
	}
	// Neither address nor secret is in the table in clear.
	var found int
	err = d.db.QueryRow(t.Context(), `SELECT count(*) FROM notice_hooks WHERE encode(sealed, 'escape') LIKE '%a-secret%' OR encode(sealed, 'escape') LIKE '%/hook%'`).Scan(&found)
	if err != nil || found != 0 {
		t.Errorf("%d rows tell their secret, %v", found, err)
	}
}

func TestWhatARoleDoesNotSeeIsNotToldToIt(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	var wrong *Wrong
	id := d.account(staff.Manager, Choice{Mail: []Cause{NewOrder}})
	if err := d.Choose(t.Context(), id, staff.Content, Choice{Mail: []Cause{NewOrder}, Language: "ru"}); !errors.As(err, &wrong) || wrong.Field != "mail" {
		t.Errorf("content may hear of orders: %v", err)
	}
	d.announce(newOrder(1))
	if _, err := d.db.Exec(t.Context(), `UPDATE staff_accounts SET role = 'content' WHERE id = $1`, id); err != nil {
		t.Fatal(err)
	}
	d.work()
	d.announce(newOrder(2))
	d.work()
	if n := d.letters(); n != 0 || d.waiting() != 0 {
		t.Errorf("%d letters to who has another role now, %d wait", n, d.waiting())
	}
}

func TestADigestIsOneLetterInTheMorning(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.account(staff.Manager, Choice{Mail: []Cause{NewOrder}, Digest: true})
	d.announce(newOrder(1), newOrder(2))
	d.pass(2 * time.Hour)
	d.announce(newOrder(3))
	d.work()
	if n := d.letters(); n != 0 {
		t.Fatalf("%d letters at once", n)
	}
	d.pass(20 * time.Hour)
	d.work()
	if n := d.letters(); n != 1 || d.waiting() != 0 {
		t.Errorf("%d letters, %d wait", n, d.waiting())
	}
}

func TestAPushAddressThatIsGoneIsDropped(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	id := d.account(staff.Manager, Choice{Push: []Cause{NewOrder}})
	d.browser(id, "/push/gone")
	d.browser(id, "/push/here")
	d.answer("/push/gone", 410)
	d.announce(newOrder(1))
	d.work()
	devices, err := d.Devices(t.Context(), id)
	if err != nil || len(devices) != 1 || len(d.requests("/push/here")) != 1 || d.waiting() != 0 {
		t.Errorf("%+v, %d wait, %v", devices, d.waiting(), err)
	}
}

func TestATargetThatFailsRestsAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.hook("/hook", NewOrder)
	d.answer("/hook", 302)
	d.announce(newOrder(1), newOrder(2))
	d.work()
	d.work() // it rests
	if n := len(d.requests("/hook")); n != 1 || len(d.requests("/elsewhere")) != 0 {
		t.Fatalf("%d requests, %d elsewhere", n, len(d.requests("/elsewhere")))
	}
	d.answer("/hook", 200)
	d.pass(time.Minute)
	d.work()
	sent := d.requests("/hook")
	if len(sent) != 3 || d.waiting() != 0 {
		t.Fatalf("%d requests, %d wait", len(sent), d.waiting())
	}
	if first, again := sent[0].header.Get("X-Shop-Notice"), sent[1].header.Get("X-Shop-Notice"); first != again {
		t.Errorf("tried again as %s, first as %s", again, first)
	}
	if strings.Contains(d.logs.String(), d.server.URL) {
		t.Errorf("the log tells the address: %s", d.logs)
	}

	// A notice is given up after ten attempts.
	d.answer("/hook", 500)
	d.announce(newOrder(3))
	for range triesMost + 3 {
		d.pass(longest)
		d.work()
	}
	if n := len(d.requests("/hook")) - 3; n != triesMost || d.waiting() != 0 {
		t.Errorf("%d attempts, %d wait", n, d.waiting())
	}
}

// TestAWebhookThatHangsSlowsNobody: it is cut off, and others are told meanwhile.
func TestAWebhookThatHangsSlowsNobody(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	gate := make(chan struct{})
	defer close(gate)
	d.hang["/slow"] = gate
	d.worker.Board.guard.Within = time.Second
	d.hook("/slow", NewOrder)
	d.hook("/quick", NewOrder)
	d.worker.Every = 10 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { d.worker.Run(ctx) })
	defer running.Wait()
	defer stop()

	d.announce(newOrder(1))
	await(t, "the slow one is asked", func() bool { return len(d.requests("/slow")) == 1 })
	d.announce(newOrder(2))
	d.announce(newOrder(3))
	await(t, "the quick one is told of all", func() bool { return len(d.requests("/quick")) == 3 })
	await(t, "the slow one is cut off", func() bool {
		var failures int
		err := d.db.QueryRow(t.Context(), `SELECT coalesce(sum(failures), 0) FROM notice_targets`).Scan(&failures)
		return err == nil && failures == 1
	})
	if n := len(d.requests("/slow")); n != 1 {
		t.Errorf("%d requests to the slow one: it does not rest", n)
	}
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("not within a minute: %s", what)
		case <-tick.C:
		}
	}
}

func TestHooksAreChecked(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.Board.guard = &Guard{}
	good := HookSetting{Name: "CRM", Kind: JSON, Language: "ru", URL: "https://crm.example/in", Secret: "a-secret-of-sixteen"}
	for field, change := range map[string]func(*HookSetting){
		"name": func(s *HookSetting) { s.Name = " " }, "kind": func(s *HookSetting) { s.Kind = "x" }, "causes": func(s *HookSetting) { s.Causes = []Cause{"x"} },
		"language": func(s *HookSetting) { s.Language = "de" }, "url": func(s *HookSetting) { s.URL = "https://10.0.0.1/" }, "secret": func(s *HookSetting) { s.Secret = "short" },
		"token": func(s *HookSetting) { s.Kind, s.Token = Telegram, "x" }, "chat": func(s *HookSetting) { s.Kind, s.Token, s.Chat = Telegram, "1:abcdefghijklmnopqrstu", "a b" },
	} {
		setting := good
		change(&setting)
		var wrong *Wrong
		if _, err := d.AddHook(t.Context(), "staff:1", setting); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	id, err := d.AddHook(t.Context(), "staff:1", good)
	if err != nil {
		t.Fatal(err)
	}
	// A change without secrets keeps them.
	if err := d.ChangeHook(t.Context(), "staff:2", id, HookSetting{Name: "New", Kind: JSON, Language: "en"}); err != nil {
		t.Fatal(err)
	}
	if _, secrets, err := d.Board.hook(t.Context(), id); err != nil || secrets.URL != good.URL || secrets.Secret != good.Secret {
		t.Errorf("%+v, %v", secrets, err)
	}
	if err := d.DropHook(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{d.DropHook(t.Context(), id), d.TryHook(t.Context(), id), d.ChangeHook(t.Context(), "staff:2", id, good)} {
		if !errors.Is(err, ErrNoHook) {
			t.Errorf("of a webhook that is gone: %v", err)
		}
	}
}

// troubles is what goes wrong, as a test sets it.
type troubles struct{ now []Trouble }

func (t *troubles) Troubles(context.Context) ([]Trouble, error) { return t.now, nil }

func TestATroubleIsToldWhenItBegins(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.hook("/hook", Causes...)
	low := func(subject string) Trouble { return Trouble{StockLow, subject, About{Product: subject, Left: 2}} }
	wrong := &troubles{now: []Trouble{low("soap")}}
	w := Watch{Board: d.Board, Troubles: wrong, Logger: slog.New(slog.DiscardHandler)}
	told := func() int {
		t.Helper()
		if err := w.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := len(d.requests("/hook"))
		d.work()
		return len(d.requests("/hook")) - before
	}
	if n := told(); n != 0 {
		t.Errorf("what was low before the shop began to tell is told %d times", n)
	}
	wrong.now = append(wrong.now, low("cream"))
	if n := told(); n != 1 {
		t.Errorf("what begins is told %d times", n)
	}
	if n := told(); n != 0 {
		t.Errorf("what lasts is told %d times", n)
	}
	wrong.now = nil
	told()
	d.pass(time.Minute)
	wrong.now = []Trouble{low("soap")}
	if n := told(); n != 1 {
		t.Errorf("what begins again is told %d times", n)
	}
	for i := range singly + 2 {
		wrong.now = append(wrong.now, low(fmt.Sprint(i)))
	}
	if n := told(); n != 1 {
		t.Errorf("a crowd is told %d times", n)
	}
	if all := d.requests("/hook"); !strings.Contains(string(all[len(all)-1].body), fmt.Sprintf(`"more":%d`, singly+1)) {
		t.Errorf("the crowd is told as %s", all[len(all)-1].body)
	}
}

func TestATrialReachesEveryWay(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	id := d.account(staff.Courier, Choice{})
	d.browser(id, "/push/1")
	hook := d.hook("/hook")
	if err := errors.Join(d.Try(t.Context(), id), d.TryHook(t.Context(), hook)); err != nil {
		t.Fatal(err)
	}
	d.work()
	if d.letters() != 1 || len(d.requests("/push/")) != 1 || len(d.requests("/hook")) != 1 {
		t.Errorf("%d letters, %d pushes, %d to the webhook", d.letters(), len(d.requests("/push/")), len(d.requests("/hook")))
	}
}
