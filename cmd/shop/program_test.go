package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/commands/testshop"
	"shop/domain"
	"shop/eventstore"
	"shop/eventstore/keyring"
	"shop/eventstore/registry"
	"shop/eventstore/relay/natstest"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
)

// asProgram makes the test binary be the program itself, so that tests run it as an operator does.
const asProgram = "SHOP_TEST_AS_PROGRAM"

// otherBuild names a file with another build of the program, which is run instead.
const otherBuild = "SHOP_TEST_BUILD"

func TestMain(m *testing.M) {
	natstest.Main()
	if os.Getenv(asProgram) != "" {
		main()
	}
	pgtest.Main(m)
}

// program is the program with an environment.
type program struct {
	t   *testing.T
	env []string
}

// withReadModels is a database as the first start of the program leaves it: without an event, with its read models.
var withReadModels = pgtest.Template{Prepare: func(ctx context.Context, url string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	store := eventstore.Open(pool, registry.New(), eventstore.Options{Logger: shoptest.Quiet})
	defer store.Close()
	_, err = (&rebuild.Builder{DB: pool, Store: store, Logger: shoptest.Quiet}).Deploy(ctx, projections.All()...)
	return err
}}

// onDatabase is the program on a database of its own, without limits of rate.
func onDatabase(t *testing.T) program {
	t.Helper()
	return program{t, []string{
		"SHOP_DATABASE_URL=" + withReadModels.URL(t), "SHOP_DATA_DIR=" + t.TempDir(), "SHOP_KEY_FILE=" + keyFile(t), "SHOP_ADDR=127.0.0.1:0",
		"SHOP_DATABASE_CONNS=12", "SHOP_CHECKOUT_RATE=0", "SHOP_ORDER_RATE=0", "SHOP_PROMOCODE_RATE=0", "SHOP_EMAIL_RATE=0",
		"SHOP_NEW_BASKET_RATE=0", "SHOP_BASKET_RATE=0", "SHOP_BASKET_EVENTS_AN_HOUR=0", "SHOP_PAGE_RATE=0", "SHOP_READ_RATE=0",
	}}
}

// keyFile is a new key file.
func keyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.key")
	if _, _, err := keyring.Add(path, false); err != nil {
		t.Fatal(err)
	}
	return path
}

func (p program) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(p.value(otherBuild), os.Args[0]), args...)
	cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}, p.env...)
	return cmd
}

// result is what a command line did.
type result struct {
	stdout, stderr string
	status         int
}

func (p program) run(args ...string) result {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// ok runs a command line that must succeed. On stderr it may tell of progress, as slow machines make it do.
func (p program) ok(args ...string) string {
	p.t.Helper()
	r := p.run(args...)
	if r.status != 0 {
		p.t.Fatalf("shop %s: status %d, stderr %s", strings.Join(args, " "), r.status, r.stderr)
	}
	return r.stdout
}

// served is a running 'shop serve'.
type served struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stderr *bytes.Buffer
	ended  chan struct{}
}

// serve starts the program and returns when it says that it is ready.
func (p program) serve(args ...string) *served {
	p.t.Helper()
	s := &served{t: p.t, cmd: p.command(append([]string{"serve"}, args...)...), stderr: new(bytes.Buffer), ended: make(chan struct{})}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if _, rest, found := strings.Cut(lines.Text(), "is ready at "); found {
				ready <- strings.Fields(rest)[0]
			}
		}
		s.cmd.Wait()
	}()
	p.t.Cleanup(func() { s.kill() })
	select {
	case s.url = <-ready:
	case <-s.ended:
		p.t.Fatalf("shop serve ended: %s", s.stderr)
	case <-time.After(time.Minute):
		p.t.Fatalf("shop serve is not ready after a minute: %s", s.stderr)
	}
	return s
}

// stop ends the program as an operator does and returns its exit status.
func (s *served) stop() int {
	s.t.Helper()
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		s.t.Fatalf("shop serve goes on a minute after SIGTERM: %s", s.stderr)
	}
	return s.cmd.ProcessState.ExitCode()
}

// kill ends the program as a power cut does.
func (s *served) kill() {
	s.cmd.Process.Kill()
	<-s.ended
}

func (s *served) get(path string) (int, string) {
	s.t.Helper()
	response, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// receipt is the answer to an order.
type receipt struct {
	ID         uuid.UUID `json:"id"`
	Number     int64     `json:"number"`
	Status     string    `json:"status"`
	PaymentURL string    `json:"payment_url"`
	// position is where the order is in the log.
	position string
}

// path is where the order is paid, without the shop's address.
func (r receipt) path() string {
	u, err := url.Parse(r.PaymentURL)
	if err != nil {
		return "/"
	}
	return u.Path
}

// order asks for pieces of a product. An error means that no answer came.
func (s *served) order(product uuid.UUID, pieces int, payment, key string) (status int, r receipt, body string, err error) {
	asked, err := json.Marshal(map[string]any{
		"customer_first_name": "Айгерим", "customer_last_name": "Сатпаева", "customer_email": "aigerim@example.com", "customer_phone": "+77011234567",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10", "payment_method": payment, "delivery_type": "DELIVERY",
		"products": []any{map[string]any{"product": product, "amount": pieces}},
	})
	if err != nil {
		return 0, r, "", err
	}
	request, err := http.NewRequest(http.MethodPost, s.url+"/api/orders/", bytes.NewReader(asked))
	if err != nil {
		return 0, r, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, r, "", err
	}
	defer response.Body.Close()
	answered, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, r, "", err
	}
	if response.StatusCode == http.StatusCreated {
		err = json.Unmarshal(answered, &r)
		r.position = response.Header.Get("X-Event-Position")
	}
	return response.StatusCode, r, string(answered), err
}

// placed is order for one that must be taken.
func (s *served) placed(product uuid.UUID, pieces int, payment string) receipt {
	s.t.Helper()
	status, r, body, err := s.order(product, pieces, payment, "")
	if err != nil || status != http.StatusCreated {
		s.t.Fatalf("the order was answered with %d %s, %v", status, body, err)
	}
	return r
}

// config is what the program reads from its environment.
func (p program) config() app.Config {
	p.t.Helper()
	c, err := app.ReadConfig(func(name string) string {
		for _, pair := range p.env {
			if value, found := strings.CutPrefix(pair, name+"="); found {
				return value
			}
		}
		return ""
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// stocked puts a product into the program's catalog, of which there are so many pieces.
func (p program) stocked(article string, price domain.Money, pieces int64) uuid.UUID {
	p.t.Helper()
	ctx := context.Background()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	return testshop.Stock(p.t, s.Handler, article, price, pieces)
}

// past does something with the shop as if it were some time ago.
func (p program) past(ago time.Duration, do func(ctx context.Context, s *app.Shop, orders *commands.Orders)) {
	p.t.Helper()
	ctx := context.Background()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, func() time.Time { return time.Now().Add(-ago) })
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	orders, err := s.Orders()
	if err != nil {
		p.t.Fatal(err)
	}
	do(ctx, s, orders)
}

func number(n int64) string { return fmt.Sprint(n) }
