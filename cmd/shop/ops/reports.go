package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/readapi/endpoint"
	"shop/readapi/replicas"
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

// reportPatience is how long a report waits for a replica before it asks the primary.
const reportPatience = time.Second

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
	var answer reports.Answer
	reader := reports.Reader{DB: replicas.Of(o.pool), Store: o.store}
	err = o.Replicas.Read(r.Context(), reportPatience, func(ctx context.Context) (err error) {
		answer, err = reader.Read(ctx, report, question, reports.AsOf{})
		return err
	})
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
