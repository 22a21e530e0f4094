package ops

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore/feed"
	"shop/readapi/endpoint"
)

const (
	// lettersShown is the most dead letters in one answer: who has more looks for the first ones' cause.
	lettersShown = 1000
	// streamsNamed and reasonLength bound what a request may say.
	streamsNamed = 1000
	reasonLength = 1000
)

func (o *Ops) listDeadLetters(w http.ResponseWriter, r *http.Request) error {
	letters, err := o.reads.DeadLetters(r.Context(), r.URL.Query().Get("projection"), lettersShown)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"letters": letters})
	return nil
}

func (o *Ops) showDeadLetter(w http.ResponseWriter, r *http.Request) error {
	position, err := positionIn(r, "position")
	if err != nil {
		return err
	}
	persons := may(r.Context(), staff.SeePersonal)
	if persons {
		signin.LookedAt(r.Context(), "dead letter", uuid.Nil)
	}
	letter, err := o.reads.DeadLetter(r.Context(), chi.URLParam(r, "projection"), position, persons)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, letter)
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

func (o *Ops) dryRun(w http.ResponseWriter, r *http.Request) error {
	asked, err := lettersIn(r)
	if err != nil {
		return err
	}
	trials, more, err := o.reads.DryRun(r.Context(), chi.URLParam(r, "projection"), asked.Streams)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": trials, "more": more})
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
