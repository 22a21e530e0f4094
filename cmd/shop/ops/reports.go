package ops

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"shop/readapi/endpoint"
	"shop/readapi/reports"
)

func (o *Ops) listReports(w http.ResponseWriter, r *http.Request) error {
	views, err := o.reads.Reports(r.Context())
	if err != nil {
		return err
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
