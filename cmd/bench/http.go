package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// serveStatic is the limit of the HTTP section: chi and net/http answering 2 KB from memory.
func serveStatic(ctx context.Context, address string) error {
	body := bytes.Repeat([]byte("x"), 2048)
	r := chi.NewRouter()
	r.Get("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	server := &http.Server{Addr: address, Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

const benchProducts = 1000

// benchHTTP compares the product list and the product page to a static answer; all servers are processes of their own.
func benchHTTP(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-http-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base, stopShop, err := startShop(ctx, s, databaseURL, dir, 50)
	if err != nil {
		return nil, err
	}
	defer stopShop()

	staticAddress, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	stopStatic, err := start(ctx, s, os.Environ(), "http://"+staticAddress+"/", self, "-static-server", staticAddress)
	if err != nil {
		return nil, err
	}
	defer stopStatic()

	product, err := firstProduct(ctx, base)
	if err != nil {
		return nil, err
	}
	basket := `{"products":[{"product":"` + product + `","amount":2}],"city":"Алматы"}`
	mine, err := basketCookie(ctx, base, basket)
	if err != nil {
		return nil, err
	}
	list := base + "/api/products/?limit=24&brief=true"
	every := []int{1, 16, 32}
	pages := []struct {
		work, url string
		ask       question
		clients   []int
	}{
		{"product list of 24", list, question{}, every},
		{"product list of 24, not compressed", list, question{accept: "identity"}, []int{32}},
		{"product page", base + "/api/products/" + product + "/", question{}, every},
		// The basket is remembered by its cookie: after the first time nothing is new, as on most of a shopper's visits.
		{"basket priced again", base + "/api/orders/calculate-price/", question{body: basket, cookie: mine}, every},
	}
	var results []result
	for _, page := range pages {
		if !strings.Contains(page.work, s.work) {
			continue
		}
		for _, clients := range page.clients {
			var (
				took []time.Duration
				size int64
			)
			limit, rate, ratio, err := alternate(s.rounds,
				func() (float64, error) {
					r, _, _, err := get(ctx, clients, s.period, "http://"+staticAddress+"/", question{})
					return r, err
				},
				func() (float64, error) {
					r, t, n, err := get(ctx, clients, s.period, page.url, page.ask)
					took, size = t, n
					return r, err
				})
			if err != nil {
				return nil, err
			}
			results = append(results, result{
				work: fmt.Sprintf("%s, %d connections", page.work, clients), limit: limit, product: rate, unit: "/s", ratio: ratio,
				note: fmt.Sprintf("p50 %.1f ms, p99 %.1f ms, %.1f KB", ms(quantile(took, .5)), ms(quantile(took, .99)), float64(size)/1024),
			})
		}
	}
	return results, nil
}

// basketCookie is the cookie that a pricing is answered with.
func basketCookie(ctx context.Context, base, body string) (string, error) {
	request, err := question{body: body}.request(ctx, base+"/api/orders/calculate-price/")
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	cookie, _, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
	if cookie == "" {
		return "", fmt.Errorf("a pricing gave no basket: %s", response.Status)
	}
	return cookie, nil
}

// question is what is sent to a URL besides; a body makes it a POST of JSON.
type question struct {
	// accept defaults to the encodings that browsers take.
	accept, body, cookie string
}

func (q question) request(ctx context.Context, url string) (*http.Request, error) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if q.body != "" {
		method, body = http.MethodPost, strings.NewReader(q.body)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", cmp.Or(q.accept, "gzip, deflate, br, zstd"))
	if q.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if q.cookie != "" {
		request.Header.Set("Cookie", q.cookie)
	}
	return request, nil
}

// get loads one URL over kept-alive connections, and says how large its body is on the wire; any answer but 200 ends the run.
func get(ctx context.Context, clients int, period time.Duration, url string, q question) (float64, []time.Duration, int64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var size atomic.Int64
	rate, took, err := load(ctx, clients, period, func(ctx context.Context, _, _ int) error {
		request, err := q.request(ctx, url)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answered %s", url, response.Status)
		}
		n, err := io.Copy(io.Discard, response.Body)
		size.Store(n)
		return err
	})
	return rate, took, size.Load(), err
}

// start runs a program until the returned function is called, and returns once ready answers 200.
func start(ctx context.Context, s settings, environment []string, ready, program string, arguments ...string) (func(), error) {
	_, stop, err := startWithin(ctx, time.Minute, s, environment, ready, program, arguments...)
	return stop, err
}

// startWithin is start of a program that may need some time until it is ready; it also answers its process id.
func startWithin(ctx context.Context, patience time.Duration, s settings, environment []string, ready, program string, arguments ...string) (pid int, stop func(), err error) {
	cmd := exec.Command(program, arguments...)
	cmd.Env = environment
	if s.verbose {
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(waiting, http.MethodGet, ready, nil)
		if err != nil {
			stop()
			return 0, nil, err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return cmd.Process.Pid, stop, nil
			}
		}
		select {
		case err := <-ended:
			return 0, nil, fmt.Errorf("%s ended before it was ready: %w", program, err)
		case <-waiting.Done():
			stop()
			return 0, nil, fmt.Errorf("%s was not ready: %w", program, waiting.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// createDatabase makes an empty database beside the one in serverURL and returns its URL. One that a run before left in
// the folder of -data is taken as it is.
func createDatabase(ctx context.Context, serverURL, name string) (string, error) {
	conn, err := pgx.Connect(ctx, serverURL)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	var there *pgconn.PgError
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil && !(errors.As(err, &there) && there.Code == "42P04") {
		return "", err
	}
	u, err := url.Parse(serverURL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// runShop runs one of the program's subcommands.
func runShop(ctx context.Context, s settings, environment []string, arguments ...string) error {
	cmd := exec.CommandContext(ctx, s.shop, arguments...)
	cmd.Env = environment
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("shop %s: %w\n%s", strings.Join(arguments, " "), err, out)
	}
	return nil
}

// catalogOf is a catalog file of n products, each with so many pieces in stock, in the documented columns.
func catalogOf(n, stock int) []byte {
	var b strings.Builder
	b.WriteString("article;name;brand;category;price;stock;description;composition;package_size\n")
	for i := range n {
		fmt.Fprintf(&b, "BN-%05d;Крем для лица № %d;Марка %d;Лицо > Раздел %d;%d;%d;Описание товара № %d для измерений.;Aqua, Glycerin, Tocopherol;50 мл\n",
			i, i, i%20, i%12, 2000+i*7, stock, i)
	}
	return []byte(b.String())
}

func firstProduct(ctx context.Context, base string) (string, error) {
	var page struct {
		Results []struct {
			Link string `json:"link"`
		} `json:"results"`
	}
	if err := readJSON(ctx, base+"/api/products/?limit=1", &page); err != nil {
		return "", err
	}
	if len(page.Results) == 0 {
		return "", errors.New("the shop lists no product")
	}
	return page.Results[0].Link, nil
}

// readJSON asks for a URL and decodes what it answers.
func readJSON(ctx context.Context, url string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(into)
}
