package backup

import (
	"maps"
	"slices"
)

// table is one that a backup holds.
type table struct {
	name string
	// where limits the rows. $readmodels stands for the names of the read models.
	where string
}

// kept are the tables of a backup, in an order in which their rows can be inserted.
var kept = []table{
	{name: "eventstore.wrapping_keys"},
	{name: "secrets"},
	{name: "eventstore.person_keys"},
	{name: "eventstore.streams"},
	{name: "eventstore.events"},
	{name: "eventstore.copied"},
	{name: "eventstore.idempotency_keys"},
	{name: "eventstore.claims"},
	// Consumers that act outside the log go on where they were. Read models begin anew.
	{name: "eventstore.checkpoints", where: notOfReadModels},
	{name: "eventstore.dead_letters", where: notOfReadModels},
	{name: "eventstore.consumer_actions"},
	{name: "staff_accounts"},
	{name: "staff_recovery_codes"},
	{name: "customer_accounts"},
	{name: "customer_devices"},
	{name: "customer_verifications"},
	{name: "passkeys"},
	{name: "guest_orders"},
	{name: "mail_start"},
	{name: "mail_jobs"},
	{name: "mail_sent"},
	{name: "mail_paces"},
	{name: "payment_links"},
	{name: "payment_refunds"},
	{name: "payment_questions"},
	{name: "photos"},
	{name: "photo_owners"},
	{name: "photo_folder"},
	{name: "notice_start"},
	{name: "notice_people"},
	{name: "notice_pushes"},
	{name: "notice_hooks"},
	{name: "notice_jobs"},
	{name: "notice_targets"},
	{name: "notice_troubles"},
	{name: "security.records"},
	{name: "import_columns"},
	// What one person alone looked for may be about them.
	{name: "missed_searches", where: "query IN (SELECT query FROM missed_searches GROUP BY query HAVING sum(times) >= 3)"},
}

const notOfReadModels = "consumer <> ALL ($readmodels)"

// leftOut are the tables that no backup holds, beside the schemas of read models, with the reason.
var leftOut = map[string]string{
	"eventstore.processes":     "who lives now",
	"eventstore.leases":        "who works now",
	"staff_presence":           "who looks at what now",
	"eventstore.snapshots":     "written again from the log; holds states of streams",
	"projections.builds":       "read models are built from the log; reports of differences show rows",
	"projections.build_ranges": "read models are built from the log",
	"projections.models":       "read models are built from the log",
	"projections.erasures":     "read models are built without whoever is erased",
	"projections.replays":      "priced again from the log; reports show orders",
	"customer_tokens":          "everybody signs in again: a session that was ended since must not come to life",
	"staff_sessions":           "everybody signs in again: a session that was ended since must not come to life",
	"customer_resets":          "codes of minutes",
	"passkey_challenges":       "questions of minutes",
	"customer_attempts":        "counters of hours",
	"staff_attempts":           "counters of hours",
	"shop_migrations.version":  "the header of the backup says it",
}

// Kept are the names of the tables that a backup holds.
func Kept() (names []string) {
	for _, t := range kept {
		names = append(names, t.name)
	}
	return names
}

// LeftOut are the names of the tables that no backup holds and that are of no read model.
func LeftOut() []string { return slices.Sorted(maps.Keys(leftOut)) }
