package ops

import (
	"context"
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
	build, err := o.builds.Start(r.Context(), name, options)
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
	view := reads.BuildOf(build, false)
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
	back, err := o.builds.Rollback(r.Context(), name)
	if err != nil {
		return err
	}
	if err := feed.ControlOf(o.store).Record(acting(r.Context(), ""), feed.Action{Action: "rollback", Consumer: name}); err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, reads.RolledBackOf(back))
	return nil
}

func (o *Ops) listBuilds(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	limit, err := numberIn(query, "limit", 20, 1, 200)
	if err != nil {
		return err
	}
	view, err := o.reads.Builds(r.Context(), rebuild.Filter{Projection: query.Get("projection"), Limit: int(limit)}, o.names(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

// buildOf is the build that a path names.
func (o *Ops) buildOf(r *http.Request) (rebuild.Build, error) {
	id, err := strconv.ParseInt(chi.URLParam(r, "id"), 10, 64)
	if err != nil {
		return rebuild.Build{}, rebuild.ErrNoBuild
	}
	return o.builds.Find(r.Context(), id)
}

func (o *Ops) showBuild(w http.ResponseWriter, r *http.Request) error {
	build, err := o.buildOf(r)
	if err != nil {
		return err
	}
	view := reads.BuildOf(build, true)
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
		if err := do(o.builds, r.Context(), build.ID); err != nil {
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
