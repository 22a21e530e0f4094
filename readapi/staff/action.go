package staff

import (
	"context"
	"time"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// Action is what somebody did with a projection or policy.
type Action struct {
	ID         int64                `json:"id"`
	At         time.Time            `json:"at"`
	Actor      string               `json:"actor"`
	Action     string               `json:"action"`
	Projection string               `json:"projection"`
	Position   *eventstore.Position `json:"position"`
	Streams    []string             `json:"streams"`
	Reason     string               `json:"reason"`
	Events     int64                `json:"events"`
	Build      *string              `json:"build"`
}

// ActionOf shows an action.
func ActionOf(a feed.Action) Action {
	v := Action{
		ID: a.ID, At: a.At, Actor: a.Actor, Action: a.Action, Projection: a.Consumer, Streams: a.Streams,
		Reason: a.Reason, Events: a.Events, Build: textOrNull(a.Build),
	}
	if a.Position != 0 {
		v.Position = &a.Position
	}
	return v
}

// Actions lists what was done with a projection or policy, newest first; an empty name: with any; no kinds: of all kinds.
func (r *Reader) Actions(ctx context.Context, projection string, limit int, kinds ...string) ([]Action, error) {
	found, err := feed.ControlOf(r.store).Actions(ctx, projection, limit, kinds...)
	if err != nil {
		return nil, err
	}
	views := make([]Action, len(found))
	for i, a := range found {
		views[i] = ActionOf(a)
	}
	return views, nil
}
