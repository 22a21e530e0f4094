package app

import (
	"context"
	"time"

	"shop/commands/policies"
	"shop/eventstore/anchor"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
)

// Audit compares samples of the read models with the log, unless it is switched off.
func (s *Shop) Audit(ctx context.Context) {
	if s.Config.AuditInterval > 0 {
		(&rebuild.Auditor{DB: s.Pool, Store: s.Store, Projections: projections.All(), Interval: s.Config.AuditInterval, Logger: s.Log}).Run(ctx)
	}
}

// Policies puts on the feed what one of all processes with that role does at a time.
func (s *Shop) Policies(ctx context.Context) ([]func(*feed.Feed), error) {
	mails, err := s.mailing(ctx)
	if err != nil {
		return nil, err
	}
	tell, err := s.telling(ctx)
	if err != nil {
		return nil, err
	}
	orders, err := s.Orders()
	if err != nil {
		return nil, err
	}
	customers := s.Customers
	// Never run: it asks the database.
	positions := feed.New(s.Store, feed.Options{})
	erasure := policies.EraseCustomers{Leaving: readapi.Facts{DB: s.Pool}, Accounts: customers, Orders: positions, Logger: s.Log}
	sweep := policies.SweepAccounts{Accounts: customers.SignIns, Logger: s.Log}
	joins := policies.JoinOrders{Guests: customers.SignIns, Orders: customers}
	expiry := policies.ExpirePayments{Orders: orders, Due: readapi.Facts{DB: s.Pool}, Logger: s.Log}
	asking := policies.AskPayments{Orders: orders, Open: OpenPayments{readapi.Facts{DB: s.Pool}, orders.Providers.Current.Name()}, Books: orders.Books, Logger: s.Log}
	statements := &policies.Reconcile{Orders: orders, Clock: s.Clock, Logger: s.Log}
	refunds := policies.GiveBack{Orders: orders, Owing: readapi.Facts{DB: s.Pool}, Debts: orders.Books, Logger: s.Log}
	keys := policies.ForgetKeys{Keys: s.Store, Logger: s.Log}
	guests := policies.ForgetGuests{Handler: s.Handler, Due: readapi.Facts{DB: s.Pool}, Guests: s.Guests, Orders: orders, Clock: s.Clock, Logger: s.Log}
	planned := policies.ApplyChanges{Changes: s.Changes, Due: readapi.Facts{DB: s.Pool}, Clock: s.Clock, Logger: s.Log}
	photos := policies.SweepPhotos{Album: s.Album, Log: s.Reviews, Logger: s.Log}
	log, err := s.Anchors(ctx)
	if err != nil {
		return nil, err
	}
	log.Rest = anchorRest
	sealing := policies.AnchorLog{Anchors: log, Logger: s.Log}
	return []func(*feed.Feed){func(consumers *feed.Feed) {
		consumers.Add(policies.NotifyRestock(s.Restock))
		consumers.Add(policies.FollowBonuses(s.Bonuses))
		consumers.Add(policies.DeletePhotos(s.Album, s.Reviews))
		consumers.AddJob("sweep-photos", photos.Run)
		consumers.AddJob("expire-payments", expiry.Run)
		consumers.AddJob("ask-payments", asking.Run)
		consumers.AddJob("give-back", refunds.Run)
		consumers.AddJob("reconcile-payments", statements.Run)
		consumers.AddJob("forget-keys", keys.Run)
		consumers.AddJob("erase-customers", erasure.Run)
		consumers.AddJob("sweep-accounts", sweep.Run)
		consumers.AddJob("forget-guests", guests.Run)
		consumers.AddJob("apply-changes", planned.Run)
		consumers.AddJob("anchor-log", sealing.Run)
		consumers.Add(policies.ForgetPersons(s.Guests))
		consumers.Add(joins.Consumer())
	}, mails, tell}, nil
}

// anchorRest keeps the sealing of a long log to a fifth of a connection.
const anchorRest = 4

// Anchors seals the log and checks it.
func (s *Shop) Anchors(ctx context.Context) (*anchor.Log, error) {
	key, err := Secret(ctx, s.Store, "anchors")
	if err != nil {
		return nil, err
	}
	return &anchor.Log{Store: s.Store, DB: s.Pool, Key: key, Clock: s.Clock}, nil
}

// OpenPayments are those of the provider in use: nobody can be asked for the others.
type OpenPayments struct {
	Facts    readapi.Facts
	Provider string
}

func (o OpenPayments) PaymentsToAsk(ctx context.Context, since, first, now time.Time, limit int) ([]policies.OpenPayment, error) {
	found, err := o.Facts.PaymentsToAsk(ctx, o.Provider, since, first, now, limit)
	due := make([]policies.OpenPayment, len(found))
	for i, p := range found {
		due[i] = policies.OpenPayment(p)
	}
	return due, err
}
