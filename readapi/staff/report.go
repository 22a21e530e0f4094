package staff

import (
	"context"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/readapi/reports"
)

// Report is a report in the list of them.
type Report struct {
	Name    string           `json:"name"`
	Title   string           `json:"title"`
	About   string           `json:"about"`
	By      []reports.Period `json:"by"`
	Filters []reports.Filter `json:"filters"`
	// Position and Lag are its read model's: where it stands, and how many events it still has to fold.
	Position eventstore.Position `json:"position"`
	Lag      int64               `json:"lag"`
}

// Reports lists the reports, each with how current it is.
func (r *Reader) Reports(ctx context.Context) ([]Report, error) {
	consumers, err := feed.ControlOf(r.store).Consumers(ctx)
	if err != nil {
		return nil, err
	}
	standing := map[string]feed.ConsumerStatus{}
	for _, c := range consumers {
		standing[c.Name] = c
	}
	all := reports.All()
	views := make([]Report, len(all))
	for i, report := range all {
		at := standing[report.Projection]
		views[i] = Report{report.Name, report.Title, report.About, orEmpty(report.By), orEmpty(report.Filters), at.Position, at.Lag}
	}
	return views, nil
}
