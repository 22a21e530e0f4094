package ops

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// BuildView is a build as pages see it.
type BuildView struct {
	ID              int64               `json:"id"`
	Projection      string              `json:"projection"`
	Kind            rebuild.Kind        `json:"kind"`
	State           rebuild.State       `json:"state"`
	Phase           rebuild.Phase       `json:"phase"`
	Schema          string              `json:"schema"`
	Position        eventstore.Position `json:"position"`
	Progress        float64             `json:"progress"`
	Events          int64               `json:"events"`
	Rate            float64             `json:"rate"`
	ETASeconds      *float64            `json:"eta_seconds"`
	StartedAt       time.Time           `json:"started_at"`
	UpdatedAt       time.Time           `json:"updated_at"`
	FinishedAt      *time.Time          `json:"finished_at"`
	Holder          *string             `json:"holder"`
	Actor           string              `json:"actor"`
	Error           string              `json:"error"`
	SwapLockSeconds *float64            `json:"swap_lock_seconds"`
	Differences     *differencesView    `json:"differences"`
}

type differencesView struct {
	Compared    int64            `json:"compared"`
	Missing     int64            `json:"missing"`
	Extra       int64            `json:"extra"`
	Changed     int64            `json:"changed"`
	NewColumns  []string         `json:"new_columns"`
	GoneColumns []string         `json:"gone_columns"`
	Sample      []differenceView `json:"sample,omitzero"`
}

type differenceView struct {
	Table   string     `json:"table"`
	Key     string     `json:"key"`
	Kind    string     `json:"kind"`
	Columns []cellView `json:"columns"`
}

type cellView struct {
	Column string          `json:"column"`
	Live   json.RawMessage `json:"live"`
	Fresh  json.RawMessage `json:"fresh"`
}

// secondsOrNull is a duration that is not known when negative.
func secondsOrNull(d time.Duration) *float64 {
	if d < 0 {
		return nil
	}
	s := d.Seconds()
	return &s
}

// viewOfBuild shows a build, with the sample of its differences if wanted. Personal columns are masked for everybody:
// the comparison keeps no person's data.
func viewOfBuild(b rebuild.Build, sample bool) BuildView {
	v := BuildView{
		ID: b.ID, Projection: b.Projection, Kind: b.Kind, State: b.State, Phase: b.Phase, Schema: b.Schema, Position: b.Position,
		Progress: min(max(b.Progress, 0), 1), Events: b.Events, Rate: b.Rate, ETASeconds: secondsOrNull(b.ETA),
		StartedAt: b.StartedAt, UpdatedAt: b.UpdatedAt, FinishedAt: timeOrNull(b.FinishedAt), Holder: reads.TextOrNull(b.Holder),
		Actor: b.Actor, Error: b.Error, SwapLockSeconds: secondsOrNull(b.LockTime),
	}
	if b.Report == nil {
		return v
	}
	d := &differencesView{
		Compared: b.Report.Compared, Missing: b.Report.Missing, Extra: b.Report.Extra, Changed: b.Report.Changed,
		NewColumns: orEmpty(b.Report.NewColumns), GoneColumns: orEmpty(b.Report.GoneColumns),
	}
	v.Differences = d
	if !sample {
		return v
	}
	d.Sample = make([]differenceView, len(b.Report.Sample))
	for i, found := range b.Report.Sample {
		shown := differenceView{Table: found.Table, Key: found.Key, Kind: found.Kind, Columns: make([]cellView, len(found.Columns))}
		for j, c := range found.Columns {
			shown.Columns[j] = cellView{c.Column, jsonOf(c.Live, c.Personal), jsonOf(c.Fresh, c.Personal)}
		}
		d.Sample[i] = shown
	}
	return v
}

// orEmpty is a list that JSON writes as [] where it has nothing.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// jsonOf is a stored value as JSON: null without one, the mask for a personal one.
func jsonOf(text string, personal bool) json.RawMessage {
	switch {
	case text == "":
		return json.RawMessage("null")
	case personal:
		return masked
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null") // a string is never refused
	}
	return quoted
}

// buildSchema is what a schema may be called: nothing that needs quotes, and none of PostgreSQL's own.
var buildSchema = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

func (o *Ops) startBuild(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Kind     rebuild.Kind         `json:"kind"`
		AutoSwap *bool                `json:"auto_swap"`
		Position *eventstore.Position `json:"position"`
		Time     *time.Time           `json:"time"`
		Schema   *string              `json:"schema"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	name := chi.URLParam(r, "name")
	if _, ok := projections.Named(name); !ok {
		return &feed.UnknownConsumer{Name: name}
	}
	wrong := endpoint.FieldErrors{}
	switch asked.Kind {
	case rebuild.Rebuild, rebuild.Verify, rebuild.AsOf:
	default:
		wrong["kind"] = []string{"Must be rebuild, verify or as-of."}
	}
	options := rebuild.BuildOptions{Kind: asked.Kind, Actor: commands.OriginOf(r.Context()).Actor}
	if asked.AutoSwap != nil {
		if options.AutoSwap = *asked.AutoSwap; options.AutoSwap && asked.Kind != rebuild.Rebuild {
			wrong["auto_swap"] = []string{"Only a rebuild is swapped."}
		}
	}
	const onlyAsOf = "Only as-of takes it."
	if asked.Position != nil {
		switch options.Position = *asked.Position; {
		case asked.Kind != rebuild.AsOf:
			wrong["position"] = []string{onlyAsOf}
		case options.Position < 1:
			wrong["position"] = []string{"Must be a number from 1."}
		case asked.Time != nil:
			wrong["time"] = []string{"Give a position or a time, not both."}
		}
	}
	if asked.Time != nil {
		if options.Time = *asked.Time; asked.Kind != rebuild.AsOf {
			wrong["time"] = []string{onlyAsOf}
		}
	}
	if asked.Schema != nil {
		switch options.Schema = *asked.Schema; {
		case asked.Kind != rebuild.AsOf:
			wrong["schema"] = []string{onlyAsOf}
		case !buildSchema.MatchString(options.Schema):
			wrong["schema"] = []string{"Must be lower-case letters, digits and underscores, at most 63, and begin with a letter."}
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	build, err := o.Builds.Start(r.Context(), name, options)
	var cannot *rebuild.Unbuildable
	if errors.As(err, &cannot) {
		return endpoint.WrongField(cannot.Option, cannot.Reason)
	}
	if err != nil {
		return err
	}
	if err := o.record(r.Context(), "build", build); err != nil {
		return err
	}
	view := viewOfBuild(build, false)
	view.Actor = o.names(r.Context())(build.Actor)
	endpoint.WriteJSON(w, http.StatusAccepted, view)
	return nil
}

// record keeps who did what with a build.
func (o *Ops) record(ctx context.Context, action string, b rebuild.Build) error {
	return feed.ControlOf(o.store).Record(acting(ctx, ""), feed.Action{Action: action, Consumer: b.Projection, Build: strconv.FormatInt(b.ID, 10)})
}

func (o *Ops) rollBack(w http.ResponseWriter, r *http.Request) error {
	name := chi.URLParam(r, "name")
	if _, ok := projections.Named(name); !ok {
		return &feed.UnknownConsumer{Name: name}
	}
	back, err := o.Builds.Rollback(r.Context(), name)
	if err != nil {
		return err
	}
	if err := feed.ControlOf(o.store).Record(acting(r.Context(), ""), feed.Action{Action: "rollback", Consumer: name}); err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		Projection  string  `json:"projection"`
		Version     int     `json:"version"`
		TookSeconds float64 `json:"took_seconds"`
	}{back.Projection, back.Version, back.Took.Seconds()})
	return nil
}

func (o *Ops) listBuilds(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	limit, err := numberIn(query, "limit", 20, 1, 200)
	if err != nil {
		return err
	}
	view, err := o.lastBuilds(r.Context(), query.Get("projection"), int(limit))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

// BuildsView is builds, newest first.
type BuildsView struct {
	Builds []BuildView `json:"builds"`
}

func (o *Ops) lastBuilds(ctx context.Context, projection string, limit int) (BuildsView, error) {
	builds, err := o.Builds.Builds(ctx, rebuild.Filter{Projection: projection, Limit: limit})
	view := BuildsView{Builds: make([]BuildView, len(builds))}
	if err != nil {
		return view, err
	}
	name := o.names(ctx)
	for i, b := range builds {
		view.Builds[i] = viewOfBuild(b, false)
		view.Builds[i].Actor = name(b.Actor)
	}
	return view, nil
}

// buildOf is the build that a path names.
func (o *Ops) buildOf(r *http.Request) (rebuild.Build, error) {
	id, err := strconv.ParseInt(chi.URLParam(r, "id"), 10, 64)
	if err != nil {
		return rebuild.Build{}, rebuild.ErrNoBuild
	}
	return o.Builds.Find(r.Context(), id)
}

func (o *Ops) showBuild(w http.ResponseWriter, r *http.Request) error {
	build, err := o.buildOf(r)
	if err != nil {
		return err
	}
	view := viewOfBuild(build, true)
	view.Actor = o.names(r.Context())(build.Actor)
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

// steer is a call that changes how a build goes on.
func (o *Ops) steer(action string, status int, do func(builder, context.Context, int64) error) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		build, err := o.buildOf(r)
		if err != nil {
			return err
		}
		if err := do(o.Builds, r.Context(), build.ID); err != nil {
			return err
		}
		if err := o.record(r.Context(), action+"-build", build); err != nil {
			return err
		}
		if status == http.StatusNoContent {
			return noContent(w)
		}
		endpoint.WriteJSON(w, status, struct{}{})
		return nil
	}
}
