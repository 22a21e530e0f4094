package staff

import (
	"time"

	"shop/eventstore"
	"shop/eventstore/feed"
)

// ActionView is what somebody did.
type ActionView struct {
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

// ViewOfAction is an action as pages and the command line show it.
func ViewOfAction(a feed.Action) ActionView {
	v := ActionView{
		ID: a.ID, At: a.At, Actor: a.Actor, Action: a.Action, Projection: a.Consumer, Streams: a.Streams,
		Reason: a.Reason, Events: a.Events, Build: TextOrNull(a.Build),
	}
	if a.Position != 0 {
		v.Position = &a.Position
	}
	return v
}

// TextOrNull is a text, or nil where there is none.
func TextOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
