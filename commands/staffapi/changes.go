package staffapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/identity/signin"
	"shop/domain/change"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
	reads "shop/readapi/staff"
)

// Changes are the calls about changes of the shop.
type Changes struct {
	Changes *changes.Changes
	Shop    reads.Shop
	Past    reads.Past
	// History compares two moments.
	History  *reads.Reader
	Accounts *signin.Accounts
	// Storefront draws previews.
	Storefront Storefront
	Log        *slog.Logger
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Changes) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	now := fresh("changes")
	r.Method("GET", "/api/staff/changes", now(allowed(staff.SeeChanges, s.list)))
	r.Method("GET", "/api/staff/changes/file", now(allowed(staff.SeeChanges, s.file)))
	r.Method("GET", "/api/staff/history", allowed(staff.SeeAudit, s.difference))
	r.Method("GET", "/api/staff/changes/{id}", now(allowed(staff.SeeChanges, s.show)))
	r.Method("POST", "/api/staff/changes", allowed(staff.ProposeChanges, s.propose))
	r.Method("POST", "/api/staff/changes/dry-run", allowed(staff.ProposeChanges, s.dryRun))
	r.Method("POST", "/api/staff/changes/effect", allowed(staff.SeeReports, s.dryEffect))
	r.Method("GET", "/api/staff/changes/{id}/effect", allowed(staff.SeeReports, s.effects))
	r.Method("POST", "/api/staff/changes/{id}/effect", allowed(staff.SeeReports, s.effect))
	r.Method("POST", "/api/staff/changes/{id}/undo", allowed(staff.ProposeChanges, s.undo))
	r.Method("POST", "/api/staff/changes/{id}/undo/dry-run", allowed(staff.ProposeChanges, s.dryUndo))
	drawn := fresh("changes", "catalog", "stock", "rules", "settings", "content", "documents", "posts")
	r.Method("GET", "/api/staff/changes/{id}/preview", drawn(allowed(staff.SeeChanges, s.preview)))
	r.Method("GET", "/api/staff/changes/{id}/pages", drawn(allowed(staff.SeeChanges, s.pages)))
	for path, call := range map[string]struct {
		needs staff.Permission
		do    func(ctx context.Context, id uuid.UUID, reason string) (eventstore.Position, error)
	}{
		"approve":  {staff.ApproveChanges, s.approve},
		"override": {staff.OverrideChanges, s.override},
		"reject":   {staff.ApproveChanges, s.reject},
		"cancel":   {staff.ProposeChanges, s.cancel},
		"apply":    {staff.ProposeChanges, s.apply},
	} {
		r.Method("POST", "/api/staff/changes/{id}/"+path, allowed(call.needs, s.decide(call.do)))
	}
}

// proposal is what a request proposes.
type proposal struct {
	Title    string          `json:"title"`
	Reason   string          `json:"reason"`
	Items    []changes.Asked `json:"items"`
	Partly   bool            `json:"partly"`
	StartsAt time.Time       `json:"starts_at"`
	EndsAt   time.Time       `json:"ends_at"`
	Report   uuid.UUID       `json:"report"`
	Draft    bool            `json:"draft"`
	// EffectDays is the span of the effect to measure, or for the change to keep; 0: none.
	EffectDays int `json:"effect_days"`
}

// itemAnswer is what became of an item that was asked for.
type itemAnswer struct {
	Thing   string          `json:"thing"`
	ID      string          `json:"id"`
	Field   string          `json:"field"`
	Was     json.RawMessage `json:"was"`
	Now     json.RawMessage `json:"now"`
	Outcome change.Outcome  `json:"outcome"`
	Found   json.RawMessage `json:"found"`
	Code    string          `json:"code"`
	Detail  string          `json:"detail"`
	// Undoes is the number of the item that it takes back; absent where nothing is taken back.
	Undoes *int `json:"undoes,omitempty"`
	// Archived: the product is not on sale.
	Archived bool `json:"archived,omitempty"`
}

// changeAnswer is what became of a change, or would.
type changeAnswer struct {
	// ID and Status are absent after a dry run.
	ID      *uuid.UUID    `json:"id,omitempty"`
	Status  change.Status `json:"status,omitempty"`
	Needs   []string      `json:"needs"`
	Because []change.Need `json:"because"`
	Results []itemAnswer  `json:"results"`
	// Stays is what an undo does not take back; only its dry run says it.
	Stays []changes.Stay `json:"stays,omitempty"`
	// Position is what X-Event-Position says; an answer that told its progress has its headers behind it.
	Position eventstore.Position `json:"position,omitempty"`
}

// answered is what a change would do or did, its refusals in a language of staff.
func answered(language string, a changes.Answer) changeAnswer {
	return changeAnswer{Needs: append([]string{}, a.Needs...), Because: append([]change.Need{}, a.Because...), Results: answers(language, a.Rows)}
}

// answers are rows with their refusals in a language of staff.
func answers(language string, rows []changes.Row) []itemAnswer {
	all := make([]itemAnswer, len(rows))
	for i, r := range rows {
		all[i] = itemAnswer{r.Thing, r.ID, r.Field, r.Was, r.Now, r.Outcome, r.Found, r.Code, sentences.ForStaff(language, r.Detail), r.Undoes, r.Archived}
	}
	return all
}

// madeOf answers a change that was made.
func madeOf(language string, a changes.Answer) changeAnswer {
	made := answered(language, a)
	made.ID, made.Status, made.Position = &a.ID, a.Status, a.Position
	return made
}

// asked reads what a request proposes.
func asked(r *http.Request) (changes.Proposal, error) {
	var p proposal
	if err := endpoint.StaffBody(r, &p); err != nil {
		return changes.Proposal{}, err
	}
	return changes.Proposal{
		Title: p.Title, Reason: p.Reason, Items: p.Items, Partly: p.Partly, StartsAt: p.StartsAt, EndsAt: p.EndsAt, Report: p.Report, Draft: p.Draft,
		EffectDays: p.EffectDays, May: mayOf(r.Context()),
	}, nil
}

// mayOf is what whoever is signed in may do.
func mayOf(ctx context.Context) func(staff.Permission) bool {
	return func(p staff.Permission) bool { return may(ctx, p) }
}

// propose is POST /api/staff/changes/: 201, or 409 with what is in the way of which item. With progress=true the share 1 is told right before
// the first append: a client that goes away until then has changed nothing.
func (s *Changes) propose(w http.ResponseWriter, r *http.Request) error {
	p, err := asked(r)
	if err != nil {
		return err
	}
	if p.EffectDays != 0 && !may(r.Context(), staff.SeeReports) {
		return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	p.Tell = progress(w, r)
	a, err := s.Changes.Propose(r.Context(), p)
	return made(w, r, a, err)
}

// made answers a change that was made, or what is in its way.
func made(w http.ResponseWriter, r *http.Request, a changes.Answer, err error) error {
	language := endpoint.Language(r)
	var refused *changes.Refused
	switch {
	case errors.As(err, &refused):
		if slices.ContainsFunc(refused.Rows, func(r changes.Row) bool { return r.Code == changes.ErrForbidden.Code }) {
			return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
		}
		endpoint.WriteJSON(w, http.StatusConflict, map[string]any{
			"detail": sentences.ForStaff(language, refused.Error()), "code": "change/items", "results": answers(language, refused.Rows),
		})
		return nil
	case err != nil:
		return err
	}
	tellPosition(w, a.Position)
	endpoint.WriteJSON(w, http.StatusCreated, madeOf(language, a))
	return nil
}

// dryRun is POST /api/staff/changes/dry-run/: what a change would do.
func (s *Changes) dryRun(w http.ResponseWriter, r *http.Request) error {
	p, err := asked(r)
	if err != nil {
		return err
	}
	a, err := s.Changes.DryRun(r.Context(), p)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, answered(endpoint.Language(r), a))
	return nil
}

// undoing reads what a request takes back; people undo their own changes, and those of others who may approve.
func (s *Changes) undoing(r *http.Request) (changes.Undoing, error) {
	var said struct {
		Reason string `json:"reason"`
		Force  []int  `json:"force"`
	}
	if err := endpoint.StaffBody(r, &said); err != nil {
		return changes.Undoing{}, err
	}
	id, err := s.owned(r.Context(), r.PathValue("id"))
	return changes.Undoing{Change: id, Reason: said.Reason, Force: said.Force, May: mayOf(r.Context())}, err
}

// undo is POST /api/staff/changes/{id}/undo/: the change that takes it back.
func (s *Changes) undo(w http.ResponseWriter, r *http.Request) error {
	u, err := s.undoing(r)
	if err != nil {
		return err
	}
	a, err := s.Changes.Undo(r.Context(), u)
	return made(w, r, a, err)
}

// dryUndo is POST /api/staff/changes/{id}/undo/dry-run/: what would go back, what would not, and what happened since that stays.
func (s *Changes) dryUndo(w http.ResponseWriter, r *http.Request) error {
	u, err := s.undoing(r)
	if err != nil {
		return err
	}
	a, err := s.Changes.DryUndo(r.Context(), u)
	if err != nil {
		return err
	}
	told := answered(endpoint.Language(r), a)
	if told.Stays, err = s.Changes.Stays(r.Context(), u.Change); err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, told)
	return nil
}

// owned is a change that whoever is signed in proposed, or may decide about.
func (s *Changes) owned(ctx context.Context, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, change.ErrUnknown
	}
	found, err := s.Changes.Show(ctx, id)
	if err == nil && found.By != commands.OriginOf(ctx).Actor && !may(ctx, staff.ApproveChanges) {
		err = endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	return id, err
}

func (s *Changes) decide(do func(ctx context.Context, id uuid.UUID, reason string) (eventstore.Position, error)) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		var said struct {
			Reason string `json:"reason"`
		}
		if err := endpoint.StaffBody(r, &said); err != nil {
			return err
		}
		id, err := s.owned(r.Context(), r.PathValue("id"))
		if err != nil {
			return err
		}
		position, err := do(r.Context(), id, said.Reason)
		if errors.Is(err, change.ErrNoReason) {
			return endpoint.WrongField("reason", change.ErrNoReason.Message)
		}
		if err != nil {
			return err
		}
		return written(w, position)
	}
}

func (s *Changes) approve(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
	return s.Changes.Approve(ctx, id, "")
}

// override approves alone, which needs a reason.
func (s *Changes) override(ctx context.Context, id uuid.UUID, reason string) (eventstore.Position, error) {
	if reason == "" {
		return 0, change.ErrNoReason
	}
	return s.Changes.Approve(ctx, id, reason)
}

func (s *Changes) reject(ctx context.Context, id uuid.UUID, reason string) (eventstore.Position, error) {
	return s.Changes.Reject(ctx, id, reason)
}

func (s *Changes) cancel(ctx context.Context, id uuid.UUID, reason string) (eventstore.Position, error) {
	return s.Changes.Cancel(ctx, id, reason)
}

// apply goes on with a change that was left in the middle, or applies one's own draft; those of others are approved.
func (s *Changes) apply(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
	found, err := s.Changes.Show(ctx, id)
	if err == nil && found.IsDraft() && found.By != commands.OriginOf(ctx).Actor {
		err = endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	if err != nil {
		return 0, err
	}
	return s.Changes.Apply(ctx, id)
}

// searched reads which changes a list shows; who does not see what others do gets their own.
func searched(r *http.Request) (reads.ChangeSearch, error) {
	q := r.URL.Query()
	wrong := endpoint.FieldErrors{}
	f := reads.ChangeSearch{
		By: q.Get("by"), Status: q.Get("status"), Thing: q.Get("thing"), ID: q.Get("id"), From: q.Get("from"), To: q.Get("to"), Month: q.Get("month"), Coming: q.Get("coming") == "true", Limit: 50,
	}
	if f.Status != "" && !slices.Contains(change.Statuses, change.Status(f.Status)) {
		wrong["status"] = []string{"There is no such status."}
	}
	for name, day := range map[string]string{"from": f.From, "to": f.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			wrong[name] = []string{"Must be a day such as 2026-03-02."}
		}
	}
	if _, err := time.Parse("2006-01", f.Month); f.Month != "" && err != nil {
		wrong["month"] = []string{"Must be a month such as 2026-03."}
	}
	var err error
	if text := q.Get("before"); text != "" {
		if f.Before, err = uuid.Parse(text); err != nil {
			wrong["before"] = []string{"Must be the id of a change."}
		}
	}
	if text := q.Get("limit"); text != "" {
		if f.Limit, err = strconv.Atoi(text); err != nil || f.Limit < 1 || f.Limit > maxPage {
			wrong["limit"] = []string{"Must be a number from 1 to 200."}
		}
	}
	if len(wrong) > 0 {
		return f, wrong
	}
	if !may(r.Context(), staff.SeeAudit) {
		f.By = commands.OriginOf(r.Context()).Actor
	}
	return f, nil
}

// sees says of which fields whoever is signed in may see the values.
func (s *Changes) sees(ctx context.Context) reads.Sees {
	return func(thing, field string) bool { return s.Changes.Fields.Seen(thing, field, mayOf(ctx)) }
}

// list is GET /api/staff/changes/?at=: who changed what, the newest first.
func (s *Changes) list(w http.ResponseWriter, r *http.Request) error {
	f, err := searched(r)
	if err != nil {
		return err
	}
	name := reads.Names(s.Accounts.Names(r.Context(), s.Log))
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.ChangeRow, error) {
		return shop.SearchChanges(ctx, f, name, s.sees(ctx))
	})
	if err != nil {
		return err
	}
	named, err := s.Shop.ChangeSearchNames(r.Context(), f, name)
	if err != nil {
		return err
	}
	var next *uuid.UUID
	if len(found) == f.Limit && !f.Coming && f.Month == "" {
		next = &found[len(found)-1].ID
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": found, "next": next, "named": named})
	return nil
}

// file is GET /api/staff/changes/file/?at=: what a list finds as CSV, a row for each item.
func (s *Changes) file(w http.ResponseWriter, r *http.Request) error {
	f, err := searched(r)
	if err != nil {
		return err
	}
	name := reads.Names(s.Accounts.Names(r.Context(), s.Log))
	file, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (file bytes.Buffer, err error) {
		err = shop.ChangesCSV(ctx, f, name, s.sees(ctx), &file)
		return file, err
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="changes.csv"`)
	h.Set("Cache-Control", "no-store")
	_, err = w.Write(file.Bytes())
	return err
}

// show is GET /api/staff/changes/{id}/?at=: a change with its items from a number on.
func (s *Changes) show(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return change.ErrUnknown
	}
	from, outcome, err := itemsOf(r.URL.Query())
	if err != nil {
		return err
	}
	name := reads.Names(s.Accounts.Names(r.Context(), s.Log))
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (reads.ChangeSheet, error) {
		return shop.Change(ctx, id, from, outcome, name, s.sees(ctx))
	})
	if err != nil {
		return err
	}
	if found.ProposedBy != commands.OriginOf(r.Context()).Actor && !may(r.Context(), staff.SeeAudit) {
		return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	for i := range found.Page {
		found.Page[i].Detail = sentences.ForStaff(endpoint.Language(r), found.Page[i].Detail)
	}
	if len(found.Needs) > 0 {
		proposed, err := s.Changes.Show(r.Context(), id)
		if err != nil {
			return err
		}
		found.Because = proposed.Because
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

func itemsOf(q url.Values) (from int, outcome string, err error) {
	if text := q.Get("items_from"); text != "" {
		if from, err = strconv.Atoi(text); err != nil || from < 0 {
			return 0, "", endpoint.WrongField("items_from", "Must be a number from 0 on.")
		}
	}
	switch outcome = q.Get("outcome"); change.Outcome(outcome) {
	case "", change.Done, change.Same, change.Conflict, change.Refused:
		return from, outcome, nil
	}
	return 0, "", endpoint.WrongField("outcome", "Must be done, same, conflict or refused.")
}
