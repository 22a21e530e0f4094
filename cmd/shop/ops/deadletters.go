package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"

	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

const (
	// lettersShown is the most dead letters in one answer: who has more looks for the first ones' cause.
	lettersShown = 1000
	// streamsNamed and reasonLength bound what a request may say.
	streamsNamed = 1000
	reasonLength = 1000
)

// LetterView is a dead letter as pages see it.
type LetterView struct {
	Projection string              `json:"projection"`
	Position   eventstore.Position `json:"position"`
	Stream     string              `json:"stream"`
	Version    eventstore.Version  `json:"version"`
	Type       string              `json:"type"`
	Error      string              `json:"error"`
	Attempts   int                 `json:"attempts"`
	ParkedAt   time.Time           `json:"parked_at"`
	TriedAt    time.Time           `json:"tried_at"`
	Retry      bool                `json:"retry"`
}

func ViewOfLetter(l feed.DeadLetter) LetterView {
	return LetterView{l.Consumer, l.Position, l.Stream, l.Version, l.Type, l.Error, l.Attempts, l.ParkedAt, l.TriedAt, l.Retry}
}

func (o *Ops) listDeadLetters(w http.ResponseWriter, r *http.Request) error {
	letters, err := feed.ControlOf(o.store).FirstDeadLetters(r.Context(), r.URL.Query().Get("projection"), lettersShown)
	if err != nil {
		return err
	}
	views := make([]LetterView, len(letters))
	for i, l := range letters {
		views[i] = ViewOfLetter(l)
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"letters": views})
	return nil
}

func (o *Ops) showDeadLetter(w http.ResponseWriter, r *http.Request) error {
	position, err := positionIn(r, "position")
	if err != nil {
		return err
	}
	letter, err := feed.ControlOf(o.store).DeadLetter(r.Context(), chi.URLParam(r, "projection"), position)
	if err != nil {
		return err
	}
	personal := may(r.Context(), staff.SeePersonal)
	event, err := o.store.RecordedAt(r.Context(), position, personal)
	if err != nil {
		return err
	}
	if event == nil {
		return &feed.NoDeadLetter{Consumer: letter.Consumer, Position: position}
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		LetterView
		Event EventView `json:"event"`
	}{ViewOfLetter(letter), ViewOfEvent(o.events, event, personal)})
	return nil
}

// asked is which of a projection's dead letters a request is about, and why.
type askedLetters struct {
	Streams []string `json:"streams"`
	Reason  string   `json:"reason"`
}

func lettersIn(r *http.Request) (askedLetters, error) {
	var asked askedLetters
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return asked, err
	}
	if len(asked.Streams) > streamsNamed {
		return asked, endpoint.WrongField("streams", fmt.Sprintf("Name at most %d; none means all of them.", streamsNamed))
	}
	asked.Reason = strings.TrimSpace(asked.Reason)
	if utf8.RuneCountInString(asked.Reason) > reasonLength {
		return asked, endpoint.WrongField("reason", fmt.Sprintf("Must not be longer than %d characters.", reasonLength))
	}
	return asked, nil
}

// errOtherEdition: what this program would fold is not what the live read model is made from.
var errOtherEdition = errors.New("another edition of this projection is live: ask the program that runs it")

// TryDeadLetters is a dry run for a projection, of what this program folds.
func TryDeadLetters(ctx context.Context, store *eventstore.Store, builds builder, name string, streams []string) ([]feed.Trial, bool, error) {
	p, ok := projections.Named(name)
	if !ok {
		return nil, false, &feed.UnknownConsumer{Name: name}
	}
	models, err := builds.Models(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, m := range models {
		if m.Projection == name && m.Role == "live" && m.Fingerprint != p.Fingerprint() {
			return nil, false, errOtherEdition
		}
	}
	return feed.ControlOf(store).DryRun(ctx, name, streams, func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		return p.Apply(ctx, tx, events)
	})
}

func (o *Ops) dryRun(w http.ResponseWriter, r *http.Request) error {
	asked, err := lettersIn(r)
	if err != nil {
		return err
	}
	trials, more, err := TryDeadLetters(r.Context(), o.store, o.Builds, chi.URLParam(r, "projection"), asked.Streams)
	if err != nil {
		return err
	}
	results := make([]reads.TrialView, len(trials))
	for i, t := range trials {
		results[i] = reads.TrialView{Position: t.Position, Stream: t.Stream, Type: t.Type, OK: t.OK, Error: t.Error}
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": results, "more": more})
	return nil
}

func (o *Ops) retry(w http.ResponseWriter, r *http.Request) error {
	asked, err := lettersIn(r)
	if err != nil {
		return err
	}
	name := chi.URLParam(r, "projection")
	n, err := feed.ControlOf(o.store).Retry(acting(r.Context(), asked.Reason), name, asked.Streams...)
	if err != nil {
		return err
	}
	if n == 0 {
		return &feed.NoDeadLetter{Consumer: name}
	}
	endpoint.WriteJSON(w, http.StatusAccepted, map[string]int64{"events": n})
	return nil
}

func (o *Ops) skip(w http.ResponseWriter, r *http.Request) error {
	position, err := positionIn(r, "position")
	if err != nil {
		return err
	}
	asked, err := lettersIn(r)
	if err != nil {
		return err
	}
	if asked.Reason == "" {
		return endpoint.WrongField("reason", "Say why: a skipped event is a hole that somebody will ask about.")
	}
	if err := feed.ControlOf(o.store).Skip(acting(r.Context(), ""), chi.URLParam(r, "projection"), position, asked.Reason); err != nil {
		return err
	}
	return noContent(w)
}
