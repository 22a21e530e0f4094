package staffapi

import (
	"context"
	"errors"
	"net/http"

	"shop/commands"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// thenOf is the shop at the moment that the address names as "at"; nil: now.
func thenOf(r *http.Request, past reads.Past) (*reads.Then, error) {
	at, err := momentOf(r, "at")
	if err != nil || at == (reads.Moment{}) {
		return nil, err
	}
	then, err := past.At(r.Context(), at)
	switch {
	case errors.Is(err, reads.ErrNotYet):
		return nil, endpoint.WrongField("at", "Этот момент ещё не наступил")
	case errors.Is(err, reads.ErrBeforeAll):
		return nil, endpoint.WrongField("at", "Тогда магазина ещё не было")
	case err != nil:
		return nil, err
	}
	return &then, nil
}

// seen is what see reads of the shop, at the moment that the address names or now.
func seen[T any](r *http.Request, past reads.Past, now reads.Shop, see func(ctx context.Context, shop reads.Shop) (T, error)) (found T, err error) {
	at, err := thenOf(r, past)
	if err != nil {
		return found, err
	}
	if at == nil {
		return see(r.Context(), now)
	}
	err = at.See(r.Context(), func(ctx context.Context, shop reads.Shop) error {
		found, err = see(ctx, shop)
		return err
	})
	return found, unseen(err)
}

// unseen says to people why a moment of the past cannot be shown now.
func unseen(err error) error {
	switch {
	case errors.Is(err, reads.ErrTooMuch):
		return endpoint.WrongField("at", "До этого момента было слишком много событий, чтобы показать его сразу: нужна модель прошлого в разделе «Операции»")
	case errors.Is(err, reads.ErrLooking):
		return endpoint.Refuse(http.StatusServiceUnavailable, "Сейчас смотрят другие моменты прошлого, попробуйте через минуту")
	}
	return err
}

// handlerOf reads single streams as they were at the moment that the address names, or as they are.
func handlerOf(r *http.Request, past reads.Past, now *commands.Handler) (*commands.Handler, error) {
	at, err := thenOf(r, past)
	if err != nil || at == nil {
		return now, err
	}
	return commands.New(at.Log(), commands.Options{Clock: past.Clock, Cached: 1}), nil
}
