package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/domain"
	"shop/eventstore"
	"shop/readapi"
)

func TestErrorsAreAnsweredInOnePlaceAndLoggedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		body   string
		logged bool
	}{
		"a rule's refusal":  {fmt.Errorf("place order: %w", domain.Refuse("order/x", "Нельзя")), 409, `{"detail":"Нельзя","code":"order/x"}`, false},
		"wrong fields":      {&commands.Invalid{Fields: map[string]any{"city": []string{"Выберите город"}}}, 400, `{"city":["Выберите город"]}`, false},
		"nothing there":     {readapi.ErrNotFound, 404, `{"detail":"Не найдено"}`, false},
		"a wrong parameter": {readapi.BadQuery{"limit": {"Введите"}}, 400, `{"limit":["Введите"]}`, false},
		"a body too large":  {fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1}), 413, textTooLarge, false},
		"no answer in time": {fmt.Errorf("query: %w", context.DeadlineExceeded), 503, textBusy, true},
		"no database":       {fmt.Errorf("query: %w", &pgconn.ConnectError{}), 503, textBusy, true},
		"a cut connection":  {fmt.Errorf("query: %w", io.ErrUnexpectedEOF), 503, textBusy, true},
		"a crashed server":  {fmt.Errorf("query: %w", &pgconn.PgError{Code: "57P02"}), 503, textBusy, true},
		"a newer event":     {fmt.Errorf("load: %w", eventstore.ErrNewer), 503, textBusy, true},
		"a wrong statement": {fmt.Errorf("query: %w", &pgconn.PgError{Code: "42P01"}), 500, textFailed, true},
		"our own trouble":   {errors.New("secret detail"), 500, textFailed, true},
	} {
		var logged strings.Builder
		h := answer(slog.New(slog.NewTextHandler(&logged, nil)), func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("ETag", `"stale"`)
			return c.err
		})
		w := shoptest.Get(t, h, "/")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) || w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %v %s", name, w.Code, w.Header(), w.Body)
		}
		if strings.Contains(w.Body.String(), "secret") || (strings.Count(logged.String(), "\n") == 1) != c.logged {
			t.Errorf("%s: answered %s, logged %q", name, w.Body, logged.String())
		}
	}
}

func TestStaffAreToldThatTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"no database": &pgconn.ConnectError{}, "a cut connection": io.ErrUnexpectedEOF, "a server that stops": &pgconn.PgError{Code: "57P01"},
	} {
		if status, text, _ := staffProblem(fmt.Errorf("query: %w", err)); status != 503 || text != staffBusy {
			t.Errorf("%s: told %d %q", name, status, text)
		}
	}
}

func TestWhoHasGoneIsNotLogged(t *testing.T) {
	t.Parallel()
	var logged strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := answer(slog.New(slog.NewTextHandler(&logged, nil)), func(http.ResponseWriter, *http.Request) error { return context.Canceled })
	h(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
	if logged.Len() > 0 {
		t.Errorf("logged %s", &logged)
	}
}
