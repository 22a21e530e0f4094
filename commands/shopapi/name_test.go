package shopapi

import "testing"

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Айгерім", "Әсел", "Ұлжан", "Қуаныш Өтегенұлы", "Анна-Мария", "Д'Артаньян", "О’Нил", "Мамедов Али оглы", "Гасанова кызы", "А.", "А. Б.", "А.Б.",
		"А.Сатпаев", "Сатпаев А.Б.", "J. R. R.", "de la Cruz", "Мұхаммед ибн Әли", "Иван 2-й", "Ёлка", "Li", "Ж", "Jean-Luc", "Нұрсұлтан Әбішұлы Назарбаев",
	} {
		if fault := nameFault(name); fault != "" {
			t.Errorf("%s: %s", name, fault)
		}
	}
	for _, name := range []string{
		"Ваш выигрыш 500 000 на http://evil.example", "http:/evil", "evil.kz", "EVIL.KZ", "Evil.Kz", "приз.рф", "Приз на evil.kz", "a@b", "@channel", "www.evil", "WWW.evil",
		"t.me", "t.me/evil", "wa.me", "evil。kz", "evil．kz", "ｅｖｉｌ.kz", "bit.ly", "Звоните 87011234567", "Скидка 500", "１２３ имя", "ann/evil", "ann\\evil", "evil.com.", "(evil.com)",
		"evil-shop.kz", "А.evil", "evil.1x",
	} {
		if fault := nameFault(name); fault != msgOnlyName {
			t.Errorf("%s: %q", name, fault)
		}
	}
	for _, name := range []string{"12", "—", "...", "'"} {
		if fault := nameFault(name); fault != msgName {
			t.Errorf("%s: %q", name, fault)
		}
	}
}
