package ops

import (
	"bytes"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// securityRoutes are how the security log is read; openapi.yaml describes them.
func (o *Ops) securityRoutes(r chi.Router, allowed endpoint.Guard) {
	for path, e := range map[string]endpoint.Endpoint{"/api/ops/security": o.listSecurity, "/api/ops/security/file": o.takeSecurity} {
		r.Method("GET", path, allowed(staff.SeeSecurity, e))
		r.Method("HEAD", path, allowed(staff.SeeSecurity, e))
	}
}

// securityParties are who does something.
var securityParties = []string{
	string(securitylog.Staff), string(securitylog.Customer), string(securitylog.Guest), string(securitylog.CLI), string(securitylog.Shop),
}

func textsOf[T ~string](of []T) []string {
	all := make([]string, len(of))
	for i, one := range of {
		all[i] = string(one)
	}
	return all
}

// securityIn reads the filters of the security log.
func securityIn(query url.Values) (q reads.SecuritySearch, err error) {
	for name, list := range map[string]struct {
		into *[]string
		of   []string
	}{
		"kind": {&q.Kinds, textsOf(securitylog.Kinds)}, "outcome": {&q.Outcomes, textsOf(securitylog.Outcomes)}, "party": {&q.Parties, securityParties},
	} {
		for text := range strings.SplitSeq(query.Get(name), ",") {
			if text == "" {
				continue
			}
			if !slices.Contains(list.of, text) {
				return q, endpoint.WrongField(name, "Is not known.")
			}
			*list.into = append(*list.into, text)
		}
	}
	if text := query.Get("who"); text != "" {
		if q.Who, err = uuid.Parse(text); err != nil {
			return q, endpoint.WrongField("who", "Must be an id.")
		}
	}
	for name, into := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		if text := query.Get(name); text != "" {
			if *into, err = domain.MomentIn(text); err != nil {
				return q, endpoint.WrongField(name, "Must be a time such as 2026-03-02T12:00:00+05:00 or 2026-03-02T12:00, or a day.")
			}
		}
	}
	for name, into := range map[string]*int64{"network": &q.Network, "email": &q.Email, "before": &q.Before} {
		if *into, err = numberIn(query, name, 0, 1, math.MaxInt64); err != nil {
			return q, err
		}
	}
	limit, err := numberIn(query, "limit", 50, 1, 200)
	q.Limit = int(limit)
	return q, err
}

func (o *Ops) listSecurity(w http.ResponseWriter, r *http.Request) error {
	q, err := securityIn(r.URL.Query())
	if err != nil {
		return err
	}
	page, err := o.reads.Security(r.Context(), q, o.names(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, page)
	return nil
}

// takeSecurity answers with the same rows as a file, and records that somebody took it.
func (o *Ops) takeSecurity(w http.ResponseWriter, r *http.Request) error {
	q, err := securityIn(r.URL.Query())
	if err != nil {
		return err
	}
	if r.Method == http.MethodGet {
		securitylog.Note(r.Context(), securitylog.Entry{Kind: securitylog.Export, Outcome: securitylog.OK, How: "security log"})
	}
	var file bytes.Buffer
	if err := o.reads.SecurityCSV(r.Context(), q, o.names(r.Context()), &file); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="security.csv"`)
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(file.Bytes())
	return err
}
