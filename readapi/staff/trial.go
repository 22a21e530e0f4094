package staff

import "shop/eventstore"

// TrialView is what a retry would come to.
type TrialView struct {
	Position eventstore.Position `json:"position"`
	Stream   string              `json:"stream"`
	Type     string              `json:"type"`
	OK       bool                `json:"ok"`
	Error    string              `json:"error"`
}
