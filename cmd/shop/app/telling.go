package app

import (
	"context"

	"shop/commands/notices"
	"shop/commands/policies"
	"shop/domain"
	"shop/eventstore/feed"
	reads "shop/readapi/staff"
)

// openNotices makes the board of what staff are told.
func (s *Shop) openNotices(key, vapid []byte) (err error) {
	s.Notices, err = notices.NewBoard(s.Pool, notices.Options{
		Key: key, VAPID: vapid, Clock: s.Clock, Guard: &notices.Guard{Private: s.Config.NoticesPrivate},
	})
	return err
}

// troubles are those of the read side, in the words of the notices.
type troubles struct{ shop reads.Shop }

func (t troubles) Troubles(ctx context.Context) ([]notices.Trouble, error) {
	found, err := t.shop.Troubles(ctx)
	all := make([]notices.Trouble, len(found))
	for i, one := range found {
		all[i] = notices.Trouble{Cause: notices.Cause(one.Cause), Subject: one.Subject, About: notices.About{
			Number: one.Number, Sum: domain.Money(one.Sum), Product: one.Product, Article: one.Article, Left: one.Left, Name: one.Name,
		}}
	}
	return all, err
}

// telling puts on the feed what tells staff of events and of troubles.
func (s *Shop) telling(ctx context.Context) (func(*feed.Feed), error) {
	since, err := s.Notices.Started(ctx)
	if err != nil {
		return nil, err
	}
	policy := policies.Notices{Log: s.Store, Board: s.Notices, Since: since, Clock: s.Clock}
	watch := notices.Watch{Board: s.Notices, Troubles: troubles{reads.Shop{DB: s.Pool}}, Logger: s.Log}
	worker := &notices.Worker{
		Board: s.Notices, Outbox: s.Outbox, Contact: "mailto:" + s.Config.Contact.Email, PublicURL: s.Config.PublicURL, Telegram: s.Config.TelegramURL, Logger: s.Log,
	}
	return func(consumers *feed.Feed) {
		consumers.Add(policy.Consumer())
		consumers.AddJob("watch-troubles", watch.Run)
		consumers.AddJob("send-notices", worker.Run)
	}, nil
}
