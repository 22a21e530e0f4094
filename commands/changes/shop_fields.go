package changes

import (
	"cmp"
	"encoding/json"
	"reflect"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/promocode"
	"shop/domain/reply"
	"shop/domain/rules"
	"shop/domain/settings"
	"shop/domain/staff"
	"shop/domain/stock"
)

func stocks() []Field {
	level := kind[stock.Command, stock.Event, stock.State]{thing: "stock", writes: staff.ChangeStock, stream: byID(commands.StockStream)}
	onHand := field(level, "on_hand",
		func(s stock.State) int64 { return s.OnHand },
		func(u *commands.Unit, _ stock.State, to int64, by setting) (stock.Command, error) {
			id, err := idOf(by.id)
			return stock.Count{ProductID: id, OnHand: to, Cause: stock.Cause{Kind: "count", Ref: by.paper()}, At: u.At()}, err
		}, nil)
	received := field(level, "received",
		func(s stock.State) int64 { return s.OnHand },
		func(u *commands.Unit, s stock.State, to int64, by setting) (stock.Command, error) {
			id, err := idOf(by.id)
			cause := stock.Cause{Kind: stock.Receipt, Ref: by.paper()}
			if to <= s.OnHand { // it goes back
				return stock.Count{ProductID: id, OnHand: to, Cause: cause, At: u.At()}, err
			}
			return stock.Receive{ProductID: id, Quantity: to - s.OnHand, Cause: cause, At: u.At()}, err
		}, nil)
	received.shift = func(u *commands.Unit, id string, from, to json.RawMessage) (json.RawMessage, error) {
		stream, err := level.stream(id)
		if err != nil {
			return nil, err
		}
		was, err := pieces(from)
		if err != nil {
			return nil, err
		}
		now, err := pieces(to)
		if err != nil {
			return nil, err
		}
		s := stream.State(u)
		if now < was && s.Free() < was-now {
			return nil, ErrFewLeft
		}
		return json.Marshal(s.OnHand + now - was)
	}
	return []Field{ofProduct(onHand), ofProduct(received)}
}

// ErrFewLeft: of a delivery that goes back fewer pieces are free than came.
var ErrFewLeft = domain.Refuse("change/few-left", "Fewer pieces are free than would go.")

// pieces reads a number of pieces that a warehouse can have.
func pieces(value json.RawMessage) (int64, error) {
	n, err := parse[int64](value)
	if err == nil && (n < 0 || n > stock.MaxOnHand) {
		err = stock.ErrBadCount
	}
	return n, err
}

// paper is what a movement of stock refers to: the reason that the change has, such as an invoice, or the change itself.
func (s setting) paper() string { return cmp.Or(s.reason, "change:"+s.change.String()) }

// ofProduct is a field of a stream beside a product's: the product has to be there.
func ofProduct(f Field) Field {
	streams, read := f.streams, f.read
	f.streams = func(id string, to json.RawMessage) ([]commands.Ref, error) {
		refs, err := streams(id, to)
		if err != nil {
			return nil, err
		}
		owner, err := product.stream(id)
		return append(refs, owner), err
	}
	f.read = func(u *commands.Unit, id string) (json.RawMessage, error) {
		owner, err := product.stream(id)
		if err != nil {
			return nil, err
		}
		if err := product.missing(owner.State(u)); err != nil {
			return nil, err
		}
		return read(u, id)
	}
	return f
}

// whole are the fields of a thing whose events carry all of it: itself, null where there is none, whether it is archived, and its
// parts by their names in JSON.
func whole[T, C any, E domain.Event, S any](
	k kind[C, E, S], get func(S) *T, put func(id domain.ID, s S, to T, u *commands.Unit) (C, error), archive func(u *commands.Unit) C, last func(S) *T,
) []Field {
	all := []Field{
		field(k, wholeField, get, func(u *commands.Unit, s S, to *T, by setting) (command C, err error) {
			id, err := idOf(by.id)
			switch {
			case err != nil:
				return command, err
			case to == nil:
				return archive(u), nil
			}
			return put(id, s, *to, u)
		}, nil),
		field(k, "archived",
			func(s S) bool { return get(s) == nil },
			func(u *commands.Unit, s S, to bool, by setting) (command C, err error) {
				id, err := idOf(by.id)
				was := last(s)
				switch {
				case was == nil:
					return command, catalog.ErrUnknown
				case err != nil:
					return command, err
				case to:
					return archive(u), nil
				}
				return put(id, s, *was, u)
			}, nil),
	}
	return append(all, members(k, get, put)...)
}

// members are fields for each member that T has in JSON.
func members[T, C any, E domain.Event, S any](k kind[C, E, S], get func(S) *T, put func(id domain.ID, s S, to T, u *commands.Unit) (C, error)) (all []Field) {
	for i, name := range memberNames[T]() {
		of := reflect.TypeFor[T]().Field(i)
		f := field(k, name,
			func(s S) json.RawMessage {
				value := get(s)
				if value == nil {
					return json.RawMessage("null")
				}
				text, _ := json.Marshal(reflect.ValueOf(value).Elem().Field(i).Interface()) // it came from JSON
				return text
			},
			func(u *commands.Unit, s S, to json.RawMessage, by setting) (command C, err error) {
				value := get(s)
				if value == nil {
					return command, catalog.ErrUnknown
				}
				id, _ := idOf(by.id) // zero for what has no id
				changed := *value
				if err := into(reflect.ValueOf(&changed).Elem().Field(i), to); err != nil {
					return command, err
				}
				return put(id, s, changed, u)
			}, nil)
		f.of = of.Type
		f.plain = func(value json.RawMessage) (json.RawMessage, error) {
			typed := reflect.New(of.Type).Elem()
			if err := into(typed, value); err != nil {
				return nil, err
			}
			return json.Marshal(typed.Interface())
		}
		all = append(all, f)
	}
	return all
}

// into reads a value into a member.
func into(member reflect.Value, value json.RawMessage) error {
	typed := reflect.New(member.Type())
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	if kind := member.Kind(); string(value) == "null" && kind != reflect.Pointer && kind != reflect.Slice {
		return ErrValue.With("The value must be " + spoken(member.Type()) + ".")
	}
	if err := decode(value, typed.Interface(), member.Type()); err != nil {
		return err
	}
	member.Set(typed.Elem())
	return nil
}

func categories() []Field {
	k := kind[catalog.CategoryCommand, catalog.CategoryEvent, catalog.CategoryState]{
		thing: "category", writes: staff.ChangeCatalog, stream: byID(commands.CategoryStream),
	}
	last := func(s catalog.CategoryState) *catalog.Category {
		if !s.Exists() {
			return nil
		}
		return &s.Category
	}
	return whole(k, func(s catalog.CategoryState) *catalog.Category {
		if s.Archived {
			return nil
		}
		return last(s)
	}, func(id domain.ID, s catalog.CategoryState, to catalog.Category, u *commands.Unit) (catalog.CategoryCommand, error) {
		from := s.Category.ParentID
		if s.Archived {
			from = domain.ID{}
		}
		if err := putBelow(u, from, to.ParentID); err != nil {
			return nil, err
		}
		return catalog.PutCategory{ID: id, Category: to, At: u.At()}, claim(u, catalog.CategoryLinkClaim, id, s.Category.Link, to.Link)
	}, func(u *commands.Unit) catalog.CategoryCommand { return catalog.ArchiveCategory{At: u.At()} }, last)
}

func brands() []Field {
	k := kind[catalog.BrandCommand, catalog.BrandEvent, catalog.BrandState]{thing: "brand", writes: staff.ChangeCatalog, stream: byID(commands.BrandStream)}
	last := func(s catalog.BrandState) *catalog.Brand {
		if !s.Exists() {
			return nil
		}
		return &s.Brand
	}
	return whole(k, func(s catalog.BrandState) *catalog.Brand {
		if s.Archived {
			return nil
		}
		return last(s)
	}, func(id domain.ID, s catalog.BrandState, to catalog.Brand, u *commands.Unit) (catalog.BrandCommand, error) {
		return catalog.PutBrand{ID: id, Brand: to, At: u.At()}, claim(u, catalog.BrandLinkClaim, id, s.Brand.Link, to.Link)
	}, func(u *commands.Unit) catalog.BrandCommand { return catalog.ArchiveBrand{At: u.At()} }, last)
}

func marks() []Field {
	k := kind[catalog.MarkCommand, catalog.MarkEvent, catalog.MarkState]{thing: "mark", writes: staff.ChangeCatalog, stream: byID(commands.MarkStream)}
	last := func(s catalog.MarkState) *catalog.Mark {
		if !s.Exists() {
			return nil
		}
		return &s.Mark
	}
	return whole(k, func(s catalog.MarkState) *catalog.Mark {
		if s.Archived {
			return nil
		}
		return last(s)
	}, func(id domain.ID, _ catalog.MarkState, to catalog.Mark, u *commands.Unit) (catalog.MarkCommand, error) {
		return catalog.PutMark{ID: id, Mark: to, At: u.At()}, nil
	}, func(u *commands.Unit) catalog.MarkCommand { return catalog.ArchiveMark{At: u.At()} }, last)
}

func promocodes() []Field {
	k := kind[promocode.Command, promocode.Event, promocode.State]{
		thing: "promocode", writes: staff.ChangeRules,
		stream: func(code string) (commands.Stream[promocode.Command, promocode.Event, promocode.State], error) {
			if domain.Blank(code) || !domain.TextFits(code, 64) {
				return commands.Stream[promocode.Command, promocode.Event, promocode.State]{}, ErrID
			}
			return commands.PromocodeStream(code), nil
		},
	}
	// null is a code that there is not, or that was revoked.
	return []Field{field(k, "terms",
		func(s promocode.State) *promocode.Terms {
			if !s.Exists() || s.Revoked {
				return nil
			}
			return &s.Terms
		},
		func(u *commands.Unit, _ promocode.State, to *promocode.Terms, by setting) (promocode.Command, error) {
			if to == nil {
				return promocode.Revoke{Code: by.id, At: u.At()}, nil
			}
			return promocode.Issue{Code: by.id, Terms: *to, At: u.At()}, nil
		}, nil)}
}

// shopRules are the rules, each by its name in JSON, and all of them, as files and what-if forms have them.
func shopRules() []Field {
	k := kind[rules.Command, rules.Event, rules.State]{
		thing: "rules", writes: staff.ChangeRules,
		stream: func(id string) (commands.Stream[rules.Command, rules.Event, rules.State], error) {
			if id != rules.Stream {
				return commands.Stream[rules.Command, rules.Event, rules.State]{}, ErrID.With("The rules have the id " + rules.Stream + ".")
			}
			return commands.RulesStream(), nil
		},
	}
	all := field(k, wholeField, func(s rules.State) rules.Rules { return s.Rules },
		func(u *commands.Unit, _ rules.State, to rules.Rules, _ setting) (rules.Command, error) {
			return rules.Change{Rules: to, At: u.At()}, nil
		}, nil)
	return append(members(k, func(s rules.State) *rules.Rules { return &s.Rules },
		func(_ domain.ID, _ rules.State, to rules.Rules, u *commands.Unit) (rules.Command, error) {
			return rules.Change{Rules: to, At: u.At()}, nil
		}), all)
}

func replies() []Field {
	k := kind[reply.Command, reply.Event, reply.State]{
		thing: "replies", writes: staff.ModerateReviews,
		stream: func(id string) (commands.Stream[reply.Command, reply.Event, reply.State], error) {
			if id != reply.Stream {
				return commands.Stream[reply.Command, reply.Event, reply.State]{}, ErrID.With("The templates have the id " + reply.Stream + ".")
			}
			return commands.ReplyStream(), nil
		},
	}
	return []Field{field(k, "templates", func(s reply.State) []reply.Template { return orEmpty(s.Templates) },
		func(u *commands.Unit, _ reply.State, to []reply.Template, _ setting) (reply.Command, error) {
			return reply.Keep{Templates: to, At: u.At()}, nil
		}, nil)}
}

// shopSettings are what the shop says of itself, each by its name in JSON, once they were published.
func shopSettings() []Field {
	k := kind[settings.Command, settings.Event, settings.State]{
		thing: "settings", writes: staff.ChangeRules,
		stream: func(id string) (commands.Stream[settings.Command, settings.Event, settings.State], error) {
			if id != settings.Stream {
				return commands.Stream[settings.Command, settings.Event, settings.State]{}, ErrID.With("The settings have the id " + settings.Stream + ".")
			}
			return commands.SettingsStream(), nil
		},
		missing: func(s settings.State) error {
			if !s.Published {
				return ErrID.With("No settings are published.")
			}
			return nil
		},
	}
	// All of them, which alone can be published first; null: none are.
	first := k
	first.missing = nil
	all := field(first, wholeField,
		func(s settings.State) *settings.Settings {
			if !s.Published {
				return nil
			}
			return &s.Settings
		},
		func(u *commands.Unit, _ settings.State, to *settings.Settings, _ setting) (settings.Command, error) {
			if to == nil {
				return settings.Withdraw{At: u.At()}, nil
			}
			return settings.Publish{Settings: *to, At: u.At()}, nil
		}, nil)
	return append(members(k, func(s settings.State) *settings.Settings { return &s.Settings },
		func(_ domain.ID, _ settings.State, to settings.Settings, u *commands.Unit) (settings.Command, error) {
			return settings.Publish{Settings: to, At: u.At()}, nil
		}), all)
}
