package ops

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections/rebuild"
	"shop/projections/replay"
	"shop/readapi"
	"shop/readapi/endpoint"
	"shop/readapi/replicas"
	reads "shop/readapi/staff"
)

// Ops is what operators see and do over HTTP; openapi.yaml describes it.
type Ops struct {
	pool     *pgxpool.Pool
	store    *eventstore.Store
	builds   builder
	reads    *reads.Reader
	accounts *signin.Accounts
	log      *slog.Logger
	// Replicas answer reports; nil: the primary does.
	Replicas *replicas.Set
	Rates    *rates
	Live     *live
	// Replays are histories under other rules; takeaways is how many data sets may leave at once.
	Replays   *replay.Replays
	Takeaways takeaways
}

// builder makes read models anew; *rebuild.Builder is one.
type builder interface {
	Start(ctx context.Context, projection string, o rebuild.BuildOptions) (rebuild.Build, error)
	Builds(ctx context.Context, f rebuild.Filter) ([]rebuild.Build, error)
	Find(ctx context.Context, id int64) (rebuild.Build, error)
	Pause(ctx context.Context, id int64) error
	Resume(ctx context.Context, id int64) error
	Cancel(ctx context.Context, id int64) error
	Swap(ctx context.Context, id int64) error
	Rollback(ctx context.Context, projection string) (rebuild.RolledBack, error)
	Models(ctx context.Context) ([]rebuild.Model, error)
}

func NewOps(pool *pgxpool.Pool, store *eventstore.Store, builds builder, accounts *signin.Accounts, log *slog.Logger) *Ops {
	o := &Ops{pool: pool, store: store, builds: builds, reads: reads.NewReader(pool, store, builds), accounts: accounts, log: log, Rates: NewRates(),
		Replays: replay.NewReplays(pool, store, log), Takeaways: newTakeaways()}
	o.Live = newLive(o)
	return o
}

// Watch samples rates, replays history, and follows everything for those who look, until ctx ends.
func (o *Ops) Watch(ctx context.Context) {
	sampling := app.Background(ctx, func(ctx context.Context) { o.Rates.run(ctx, o.reads, o.log) })
	defer sampling.Stop()
	replaying := app.Background(ctx, o.Replays.Run)
	defer replaying.Stop()
	o.Live.run(ctx)
}

// Routes adds the operators' calls, each with what it takes to make it.
func (o *Ops) Routes(r chi.Router, allowed endpoint.Guard) {
	add := func(method, path string, permission staff.Permission, e endpoint.Endpoint) {
		r.Method(method, "/api/ops"+path, allowed(permission, e))
	}
	get := func(path string, permission staff.Permission, e endpoint.Endpoint) {
		add("GET", path, permission, e)
		add("HEAD", path, permission, e)
	}
	get("/openapi.json", "", describeOps)
	get("/projections", staff.SeeProjections, o.listProjections)
	get("/rates", staff.SeeProjections, o.showRates)
	add("POST", "/projections/{name}/pause", staff.RunProjections, o.pauseProjection)
	add("POST", "/projections/{name}/resume", staff.RunProjections, o.resumeProjection)
	add("POST", "/projections/{name}/builds", staff.RunProjections, o.startBuild)
	add("POST", "/projections/{name}/rollback", staff.RunProjections, steppedUp(o.rollBack))

	get("/builds", staff.SeeProjections, o.listBuilds)
	get("/builds/{id}", staff.SeeProjections, o.showBuild)
	add("POST", "/builds/{id}/pause", staff.RunProjections, o.steer("pause", http.StatusNoContent, builder.Pause))
	add("POST", "/builds/{id}/resume", staff.RunProjections, o.steer("resume", http.StatusNoContent, builder.Resume))
	add("POST", "/builds/{id}/cancel", staff.RunProjections, o.steer("cancel", http.StatusNoContent, builder.Cancel))
	add("POST", "/builds/{id}/swap", staff.RunProjections, steppedUp(o.steer("swap", http.StatusAccepted, builder.Swap)))

	get("/deadletters", staff.SeeProjections, o.listDeadLetters)
	get("/deadletters/history", staff.SeeProjections, o.listActions("retry", "skip"))
	get("/deadletters/{projection}/{position}", staff.SeeProjections, o.showDeadLetter)
	add("POST", "/deadletters/{projection}/dry-run", staff.RunProjections, o.dryRun)
	add("POST", "/deadletters/{projection}/retry", staff.RunProjections, o.retry)
	add("POST", "/deadletters/{projection}/{position}/skip", staff.RunProjections, o.skip)
	get("/actions", staff.SeeProjections, o.listActions())

	get("/events", staff.SeeLog, o.listEvents)
	get("/health", staff.SeeHealth, o.showHealth)
	add("GET", "/live", staff.SeeProjections, o.stream)
	o.historyRoutes(r, allowed)
	o.replayRoutes(r, allowed)
	o.datasetRoutes(r, allowed)
	o.securityRoutes(r, allowed)
}

// Close ends the answers that go on, for good.
func (o *Ops) Close() {
	o.Live.Close()
	o.Takeaways.close()
}

//go:embed openapi.yaml
var openAPI []byte

// Contract is openapi.yaml as JSON, made when it is first asked for.
var Contract = sync.OnceValues(func() ([]byte, error) { return readapi.ContractJSON(openAPI) })

func describeOps(w http.ResponseWriter, _ *http.Request) error {
	contract, err := Contract()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(contract)
	return err
}

// OpsProblem says an operator's error, by the word that its status goes by (readapi/endpoint); false: it is another's.
func OpsProblem(err error) (code, text string, ok bool) {
	var (
		unknown    *feed.UnknownConsumer
		noLetter   *feed.NoDeadLetter
		unfinished *rebuild.Unfinished
		refused    *rebuild.Refused
	)
	switch {
	case errors.As(err, &unknown):
		return endpoint.NotFound, fmt.Sprintf("There is no projection %q.", unknown.Name), true
	case errors.As(err, &noLetter):
		return endpoint.NotFound, "There is no such dead letter; it may have been handled meanwhile.", true
	case errors.Is(err, replay.ErrNoReplay):
		return endpoint.NotFound, "There is no such replay.", true
	case errors.Is(err, replay.ErrFinished):
		return endpoint.Conflict, "The replay is finished.", true
	case errors.Is(err, rebuild.ErrNoBuild):
		return endpoint.NotFound, "There is no such build.", true
	case errors.As(err, &unfinished):
		return endpoint.Conflict, fmt.Sprintf("Build %d is not finished, wait for it or cancel it: it is %s.", unfinished.Build.ID, unfinished.Build.State), true
	case errors.As(err, &refused):
		return endpoint.Conflict, fmt.Sprintf("Build %d cannot %s: it is %s.", refused.Build.ID, refused.Asked, refused.Build.State), true
	case errors.Is(err, rebuild.ErrNeverRan):
		return endpoint.Conflict, "The projection has never run.", true
	case errors.Is(err, reads.ErrOtherEdition):
		return endpoint.Conflict, "Another edition of this projection is live than this program folds.", true
	case errors.Is(err, reads.ErrNothing):
		return endpoint.NotFound, "There is nothing of it in the log.", true
	case errors.Is(err, reads.ErrNoProduct):
		return endpoint.NotFound, "There is no such product.", true
	case errors.Is(err, rebuild.ErrNoPrevious):
		return endpoint.Conflict, "No previous read model is kept.", true
	}
	return "", "", false
}

// acting lets what is done under a request's context be recorded with who asked for it, and why.
func acting(ctx context.Context, reason string) context.Context {
	return feed.WithAuthor(ctx, feed.Author{Actor: commands.OriginOf(ctx).Actor, Reason: reason})
}

// may says whether a request's session has a permission.
func may(ctx context.Context, p staff.Permission) bool {
	return staff.Role(signin.SessionOf(ctx).Account.Role).May(p)
}

// steppedUp asks for the second factor again before an endpoint.
func steppedUp(e endpoint.Endpoint) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := signin.SteppedUp(r.Context()); err != nil {
			return err
		}
		return e(w, r)
	}
}

func noContent(w http.ResponseWriter) error {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// numberIn reads a number of the query between bounds; absent: the fallback.
func numberIn(query url.Values, name string, fallback, least, most int64) (int64, error) {
	text := query.Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		if most == math.MaxInt64 {
			return 0, endpoint.WrongField(name, fmt.Sprintf("Must be a number from %d.", least))
		}
		return 0, endpoint.WrongField(name, fmt.Sprintf("Must be a number from %d to %d.", least, most))
	}
	return n, nil
}

// positionIn reads a position of the path.
func positionIn(r *http.Request, name string) (eventstore.Position, error) {
	n, err := strconv.ParseInt(chi.URLParam(r, name), 10, 64)
	if err != nil || n < 1 {
		return 0, endpoint.WrongField(name, "Must be a number from 1.")
	}
	return eventstore.Position(n), nil
}

func (o *Ops) listProjections(w http.ResponseWriter, r *http.Request) error {
	view, err := o.reads.Projections(r.Context())
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

func (o *Ops) showRates(w http.ResponseWriter, _ *http.Request) error {
	endpoint.WriteJSON(w, http.StatusOK, reads.Rates{Step: 1, Projections: o.Rates.Lately()})
	return nil
}

func (o *Ops) pauseProjection(w http.ResponseWriter, r *http.Request) error {
	if err := feed.ControlOf(o.store).Pause(acting(r.Context(), ""), chi.URLParam(r, "name")); err != nil {
		return err
	}
	return noContent(w)
}

func (o *Ops) resumeProjection(w http.ResponseWriter, r *http.Request) error {
	if err := feed.ControlOf(o.store).Resume(acting(r.Context(), ""), chi.URLParam(r, "name")); err != nil {
		return err
	}
	return noContent(w)
}

// names says who an account is by its e-mail.
func (o *Ops) names(ctx context.Context) reads.Names {
	return reads.Names(o.accounts.Names(ctx, o.log))
}

// listActions lists what was done of the given kinds; none: of all.
func (o *Ops) listActions(kinds ...string) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		limit, err := numberIn(query, "limit", 50, 1, 500)
		if err != nil {
			return err
		}
		actions, err := o.reads.Actions(r.Context(), query.Get("projection"), int(limit), kinds...)
		if err != nil {
			return err
		}
		name := o.names(r.Context())
		for i := range actions {
			actions[i].Actor = name(actions[i].Actor)
		}
		endpoint.WriteJSON(w, http.StatusOK, map[string]any{"actions": actions})
		return nil
	}
}
