package ops

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/readapi/endpoint"
	"shop/readapi/reports"
)

// ReportView is a report in the list of them.
type ReportView struct {
	Name    string           `json:"name"`
	Title   string           `json:"title"`
	About   string           `json:"about"`
	By      []reports.Period `json:"by"`
	Filters []reports.Filter `json:"filters"`
	// Position and Lag are its read model's: where it stands, and how many events it still has to fold.
	Position eventstore.Position `json:"position"`
	Lag      int64               `json:"lag"`
}

func (o *Ops) listReports(w http.ResponseWriter, r *http.Request) error {
	consumers, err := feed.ControlOf(o.store).Consumers(r.Context())
	if err != nil {
		return err
	}
	standing := map[string]feed.ConsumerStatus{}
	for _, c := range consumers {
		standing[c.Name] = c
	}
	all := reports.All()
	views := make([]ReportView, len(all))
	for i, report := range all {
		at := standing[report.Projection]
		views[i] = ReportView{report.Name, report.Title, report.About, orEmpty(report.By), orEmpty(report.Filters), at.Position, at.Lag}
	}
	endpoint.WriteJSON(w, http.StatusOK, views)
	return nil
}

// reportParameters are what a report may be asked by; which filters it has, it says itself.
var reportParameters = []string{
	"from", "to", "by", "sort", "limit", "offset", "format",
	string(reports.City), string(reports.Payment), string(reports.Promocode), string(reports.Category), string(reports.Brand), string(reports.Product),
}

func (o *Ops) showReport(w http.ResponseWriter, r *http.Request) error {
	report, found := reports.Named(chi.URLParam(r, "name"))
	if !found {
		return endpoint.Refuse(http.StatusNotFound, "There is no such report.")
	}
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains(reportParameters, name) {
			return endpoint.WrongField(name, fmt.Sprintf("There is no such parameter. As it was at a position or a time: `shop reports %s --at`.", report.Name))
		}
	}
	question, err := report.Ask(query)
	var bad reports.Bad
	if errors.As(err, &bad) {
		return endpoint.FieldErrors(bad)
	}
	format := query.Get("format")
	if format != "" && format != "json" && format != "csv" {
		return endpoint.WrongField("format", "Must be json or csv.")
	}
	answer, err := reports.Reader{DB: o.pool, Store: o.store}.Read(r.Context(), report, question, reports.AsOf{})
	if err != nil {
		return err
	}
	if format != "csv" {
		endpoint.WriteJSON(w, http.StatusOK, answer)
		return nil
	}
	var file bytes.Buffer
	if err := answer.WriteCSV(&file); err != nil {
		return fmt.Errorf("write report %s: %w", report.Name, err)
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": answer.FileName()}))
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(file.Bytes())
	return err
}
