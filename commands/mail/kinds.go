package mail

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"shop/domain"
)

// kind is how letters of a kind are read back, and what a sample of them says.
type kind struct {
	sample Content
	// others are samples of what the first does not say.
	others []Content
	decode func(data []byte) (Content, error)
}

// has describes a kind by a sample, and by others that together with it have all its texts.
func has[C Content](sample C, others ...C) kind {
	k := kind{sample: sample, decode: func(data []byte) (Content, error) {
		var c C
		err := json.Unmarshal(data, &c)
		return c, err
	}}
	for _, o := range others {
		k.others = append(k.others, o)
	}
	return k
}

// kindOf is the description of a kind; false for an unknown one.
func kindOf(k Kind) (kind, bool) {
	at := slices.IndexFunc(kinds, func(one kind) bool { return one.sample.Kind() == k })
	if at < 0 {
		return kind{}, false
	}
	return kinds[at], true
}

// Kinds are the names of all letters, sorted.
func Kinds() []Kind {
	names := make([]Kind, len(kinds))
	for i, k := range kinds {
		names[i] = k.sample.Kind()
	}
	slices.Sort(names)
	return names
}

// Sample is a letter of a kind in a language as a preview shows it, at Monday noon; false for an unknown kind. Staff's letters are in Russian.
func (r *Renderer) Sample(k Kind, language string) (Message, bool, error) {
	return r.SampleWith(k, language, "")
}

// SampleWith is the first sample that has a text of that name; Sample where the name is empty or none has it.
func (r *Renderer) SampleWith(k Kind, language, text string) (first Message, known bool, err error) {
	described, known := kindOf(k)
	if !known {
		return Message{}, false, nil
	}
	for i, content := range append([]Content{described.sample}, described.others...) {
		m, said, err := r.write(uuid.MustParse("01965b8e-7c00-7000-8000-000000000001"), noon, "anna@example.com", In(language, content))
		if err != nil || text == "" || said[text] {
			return m, true, err
		}
		if i == 0 {
			first = m
		}
	}
	return first, true, nil
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, domain.Almaty)

// Two orders of samples: one in cash, and the same by card.
var cash = Order{
	Name: "Анна", Number: 100321, URL: "https://shop.example/order/01965b8e#sample", PayURL: "https://shop.example/order/01965b8e#sample&pay", ForgetURL: "https://shop.example/forget/order/01965b8e#sample",
	Lines: []domain.PricedLine{
		{Name: "Шампунь для сухих волос с маслом ши, 250 мл", Amount: 2, Price: 5_400, DiscountedPrice: 4_860, OrderDiscount: 486, Total: 9_234},
		{Name: "Крем для рук «Ромашка & мёд»", Amount: 1, Price: 3_100, DiscountedPrice: 3_100, OrderDiscount: 310, Total: 2_790},
	},
	Explanation: []domain.Step{
		{Code: "list_prices", Label: "Цены по каталогу", Amount: 13_900},
		{Code: "product_discounts", Label: "Скидки на товары", Amount: -1_080},
		{Code: "promocode", Label: "Промокод WELCOME10", Amount: -796, Note: "Выгоднее скидки от суммы заказа"},
		{Code: "delivery", Label: "Доставка", Amount: 1_900},
	},
	Total: 13_924, PayableOnDelivery: 13_924, Payment: domain.Cash, Delivery: domain.Delivery,
	City: "Алматы", Address: "пр. Достык, 208/5, кв. 12", DeliveryDate: "2026-03-03", Calculated: true,
}

var card = byCard(cash)

func byCard(o Order) Order {
	o.Payment, o.PayableNow, o.PayableOnDelivery, o.PayBefore = domain.Card, o.Total, 0, noon.Add(30*time.Minute)
	return o
}

// unpromised is an order without a day of delivery and without an end of its wait for money.
func unpromised(o Order) Order {
	o.DeliveryDate, o.PayBefore = "", time.Time{}
	return o
}

// changed is what became of the lines of an order.
var changed = []LineChange{
	{Name: "Шампунь для сухих волос с маслом ши, 250 мл", Before: 1, After: 2, PriceBefore: 5_400, PriceAfter: 4_860},
	{Name: "Крем для рук «Ромашка & мёд»", After: 1, PriceAfter: 3_100}, {Name: "Мыло с маслом облепихи", Before: 1, PriceBefore: 1_500},
}

// kinds are all letters.
var kinds = []kind{
	has(OrderPlaced{card}, OrderPlaced{cash}, OrderPlaced{unpromised(card)}, OrderPlaced{unpromised(cash)}),
	has(OrderApproved{card, true}, OrderApproved{cash, false}),
	has(OrderProcessing{cash}),
	has(OrderCompleted{cash}),
	has(OrderCancelled{Order: card, By: "staff", Reason: "товар повреждён на складе", Owed: 13_924},
		OrderCancelled{Order: cash, By: "customer"}, OrderCancelled{Order: cash, By: "shop", NotConfirmed: true}),
	has(OrderRefunded{Order: card, Amount: 13_924}, OrderRefunded{Order: card, Amount: 500, Excess: true, Reference: "000123"}),
	has(OrderChanged{Order: card, Reason: "по Вашей просьбе по телефону", Changes: changed, Lacks: 3_100},
		OrderChanged{Order: card, Changes: changed[2:], Owed: 1_500}, OrderChanged{Order: cash, Changes: changed[:1]}),
	has(OrderHandedOver{Order: card, Carrier: "Казпочта", Tracking: "KZ-123456789", TrackingURL: "https://post.kz/mail/search/track/KZ-123456789/detail"},
		OrderHandedOver{Order: cash, Day: "2026-03-03"}, OrderHandedOver{Order: cash}),
	has(GoodsReturned{Order: card, Granted: true, Back: []BackLine{{"Крем для рук «Ромашка & мёд»", 1}}, Owed: 2_790, Bonuses: 120},
		GoodsReturned{Order: cash, Back: []BackLine{{"Крем для рук «Ромашка & мёд»", 1}}}),
	has(ReturnDeclined{Order: card, Reason: "упаковка вскрыта"}),
	has(PaymentFailed{card}),
	has(PaymentExpired{card}),
	has(VerifyEmail{Name: "Анна", Path: "/verify-email?token=sample", Until: noon.AddDate(0, 0, 3)},
		VerifyEmail{Path: "/verify-email?token=sample", Until: noon.AddDate(0, 0, 3), Change: true}),
	has(Welcome{Name: "Анна"}),
	has(ResetCode{Name: "Анна", Code: "402817", Path: "/new-password#sample", Until: noon.Add(15 * time.Minute)}),
	has(ResetTries{Name: "Анна", At: noon}),
	has(AlreadyRegistered{Name: "Анна", At: noon}),
	has(PasswordChanged{Name: "Анна", At: noon}),
	has(NewDevice{Name: "Анна", Device: "Chrome, Windows", Network: "203.0.113.*", At: noon}),
	has(EmailRequested{Name: "Анна", Path: "/cancel-email#sample", At: noon, Until: noon.AddDate(0, 0, 1)}),
	has(EmailChanged{Name: "Анна", Path: "/take-back-email#sample", At: noon, Until: noon.AddDate(0, 0, 7)},
		EmailChanged{Name: "Анна", At: noon, Until: noon.AddDate(0, 0, 7)}),
	has(AccountErased{Name: "Анна", Orders: 4, Reviews: 2, Subscriptions: 1, Files: 3}),
	has(Restocked{
		Name: "Анна", Product: "Мыло с маслом облепихи", ProductURL: "https://shop.example/product/mylo-s-maslom-oblepikhi",
		UnsubscribeURL: "https://shop.example/unsubscribe/restock/01965b8e/01965b8f?key=sample",
	}),
	has(ReviewAnswered{
		Name: "Анна", Product: "Шампунь для сухих волос", ProductURL: "https://shop.example/product/shampun-dlya-sukhikh-volos",
		Answer: "Спасибо за подробный отзыв!\nДля тонких волос попробуйте вариант без масла ши.", ForgetURL: "https://shop.example/forget/review/01965b90#sample",
	}),
	has(StaffNotice{
		Subject: "Уведомлений: 2", Footer: "Что присылать, Вы выбираете на странице «Уведомления»", URL: "https://shop.example/admin/notices",
		Lines: []StaffLine{
			{Title: "Новый заказ", Text: "Заказ 100321 · 13 924 ₸", URL: "https://shop.example/admin/orders/100321"},
			{Title: "Товар заканчивается", Text: "Мыло с маслом облепихи (DL-10004) · Осталось: 3", URL: "https://shop.example/admin"},
		},
	}),
}
