package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/commands/identity/securitylog"
	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections/dataset"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// datasetRoutes are how analysts take data away; openapi.yaml describes them.
func (o *Ops) datasetRoutes(r chi.Router, allowed endpoint.Guard) {
	add := func(method, path string, e endpoint.Endpoint) {
		r.Method(method, "/api/analytics/datasets"+path, allowed(staff.SeeReports, e))
	}
	add("GET", "", listDatasets)
	add("HEAD", "", listDatasets)
	add("GET", "/{name}", o.takeDataset)
}

const (
	// maxTakeaways is how many data sets leave a process at once: each reads the log and takes some tens of megabytes.
	maxTakeaways = 2
	// acceptWithin is how long a client may take to accept a piece of a file.
	acceptWithin = 30 * time.Second
)

// takeaways bounds how many data sets leave at once.
type takeaways struct {
	Slots  chan struct{}
	closed chan struct{}
	close  func()
}

func newTakeaways() takeaways {
	t := takeaways{Slots: make(chan struct{}, maxTakeaways), closed: make(chan struct{})}
	t.close = sync.OnceFunc(func() { close(t.closed) })
	return t
}

func listDatasets(w http.ResponseWriter, _ *http.Request) error {
	endpoint.WriteJSON(w, http.StatusOK, dataset.Describe())
	return nil
}

// datasetIn reads what is asked for.
func datasetIn(r *http.Request) (o dataset.Options, err error) {
	query := r.URL.Query()
	o.Format, o.Month = cmp.Or(query.Get("format"), dataset.Parquet), query.Get("month")
	if app.OneOf(o.Format, dataset.Parquet, dataset.CSV) != nil {
		return o, endpoint.WrongField("format", "Must be parquet or csv.")
	}
	if _, err := time.Parse("2006-01", o.Month); o.Month != "" && err != nil {
		return o, endpoint.WrongField("month", "Must be a month such as 2026-05.")
	}
	from, err := numberIn(query, "from_position", 1, 1, math.MaxInt64)
	if err != nil {
		return o, err
	}
	o.From = eventstore.Position(from)
	switch query.Get("unmasked") {
	case "", "0":
	case "1":
		if !may(r.Context(), staff.SeePersonal) {
			return o, endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
		}
		if err := signin.SteppedUp(r.Context()); err != nil {
			return o, err
		}
		o.Unmasked = true
	default:
		return o, endpoint.WrongField("unmasked", "Must be 0 or 1.")
	}
	return o, nil
}

// takeDataset streams a data set as one file. One that cannot be written to its end is cut off, so that nobody takes it for
// whole.
func (o *Ops) takeDataset(w http.ResponseWriter, r *http.Request) error {
	name := chi.URLParam(r, "name")
	if !dataset.Known(name) {
		return endpoint.Refuse(http.StatusNotFound, "There is no such data set.")
	}
	options, err := datasetIn(r)
	if err != nil {
		return err
	}
	select {
	case o.Takeaways.Slots <- struct{}{}:
		defer func() { <-o.Takeaways.Slots }()
	default:
		w.Header().Set("Retry-After", "30")
		return endpoint.Refuse(http.StatusTooManyRequests, "Other data sets are being taken. Try again in a while.")
	}
	options.Cities = readapi.Cities{}.City
	if options.Secret, err = app.Secret(r.Context(), o.store, "pseudonyms"); err != nil {
		return err
	}
	upTo, err := o.store.Head(r.Context())
	if err != nil {
		return err
	}
	if err := o.recordTaking(r.Context(), name, upTo, options); err != nil {
		return err
	}

	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	ctx, stop := context.WithCancel(endpoint.Unlimited(r.Context()))
	defer stop()
	go func() {
		select {
		case <-o.Takeaways.closed:
			stop()
		case <-ctx.Done():
		}
	}()
	file := name
	if options.Month != "" {
		file += "-" + options.Month
	}
	header := w.Header()
	header.Set("Content-Type", "application/vnd.apache.parquet")
	if options.Format == dataset.CSV {
		header.Set("Content-Type", "text/csv; charset=utf-8")
	}
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-at-%d.%s"`, file, upTo, options.Format))
	header.Set("X-Log-Position", strconv.FormatInt(int64(upTo), 10))
	header.Set("Cache-Control", "no-store")
	out := &patient{w: w, control: control}
	if _, err := dataset.Stream(ctx, o.store, name, out, upTo, options); err != nil {
		if !out.begun {
			header.Del("Content-Disposition")
			return err
		}
		endpoint.LogFailure(o.log, r, err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// recordTaking keeps who took what.
func (o *Ops) recordTaking(ctx context.Context, name string, upTo eventstore.Position, options dataset.Options) error {
	about := []string{options.Format, "masked"}
	if options.Unmasked {
		about[1] = "with personal data"
	}
	if options.Month != "" {
		about = append(about, options.Month)
	}
	if options.From > 1 {
		about = append(about, fmt.Sprintf("from position %d", options.From))
	}
	what := strings.Join(about, ", ")
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.Export, Outcome: securitylog.OK, How: "data set, " + about[1]})
	o.log.InfoContext(ctx, "data set taken", "dataset", name, "what", what, "actor", commands.OriginOf(ctx).Actor, "request_id", endpoint.RequestID(ctx))
	return feed.ControlOf(o.store).Record(acting(ctx, what), feed.Action{Action: "take-dataset", Consumer: name, Position: upTo})
}

// patient gives a client time for every piece of an answer that takes longer than answers may.
type patient struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func (p *patient) Write(b []byte) (int, error) {
	p.begun = true
	if err := p.control.SetWriteDeadline(time.Now().Add(acceptWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.w.Write(b)
}
