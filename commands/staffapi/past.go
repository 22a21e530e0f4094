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

// thenOrNow is what a request reads at the moment that its address names, or now.
func thenOrNow[T any](r *http.Request, past reads.Past, then func(ctx context.Context, at *reads.Then) (T, error), now func(ctx context.Context) (T, error)) (found T, err error) {
	at, err := thenOf(r, past)
	if err != nil {
		return found, err
	}
	if at == nil {
		return now(r.Context())
	}
	found, err = then(r.Context(), at)
	return found, unseen(err)
}

// seen is what see reads of the shop, at the moment that the address names or now.
func seen[T any](r *http.Request, past reads.Past, now reads.Shop, see func(ctx context.Context, shop reads.Shop) (T, error)) (T, error) {
	return thenOrNow(r, past, func(ctx context.Context, at *reads.Then) (found T, err error) {
		err = at.See(ctx, func(ctx context.Context, shop reads.Shop) error {
			found, err = see(ctx, shop)
			return err
		})
		return found, err
	}, func(ctx context.Context) (T, error) { return see(ctx, now) })
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
	return thenOrNow(r, past, func(_ context.Context, at *reads.Then) (*commands.Handler, error) {
		return commands.New(at.Log(), commands.Options{Clock: past.Clock, Cached: 1}), nil
	}, func(context.Context) (*commands.Handler, error) { return now, nil })
}
