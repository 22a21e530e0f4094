package ops

import (
	"net/http"

	"shop/readapi/endpoint"
)

func (o *Ops) showHealth(w http.ResponseWriter, r *http.Request) error {
	view, err := o.reads.Health(r.Context())
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}
