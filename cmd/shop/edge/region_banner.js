// In a region that may be cut off: says how old the catalog is, and that no orders are taken, until that is over.
(() => {
  const texts = {
    ru: {
      old: (at) => `Каталог по состоянию на ${at}.`,
      closed: 'Оформить заказ пока нельзя, корзина сохранена.',
      label: 'Нет связи с магазином',
    },
    kk: {
      old: (at) => `Каталог ${at} жағдайы бойынша көрсетілген.`,
      closed: 'Әзірге тапсырыс беру мүмкін емес, себет сақталды.',
      label: 'Дүкенмен байланыс жоқ',
    },
  };
  const kazakh = document.documentElement.lang === 'kk';
  const { old, closed, label } = kazakh ? texts.kk : texts.ru;
  const hour = new Intl.DateTimeFormat('ru', { hour: '2-digit', minute: '2-digit' });
  const banner = document.getElementById('region');
  banner.setAttribute('aria-label', label);
  // Often while there is something to say, so that it ends soon.
  const calm = 30000;
  const alert = 5000;

  async function look() {
    let next = calm;
    try {
      const answer = await fetch('/api/shop/', { cache: 'no-store' });
      const age = Number(answer.headers.get('X-Shop-Age'));
      const away = answer.headers.get('X-Shop-Home') === 'away';
      const told = [];
      if (age > 0) told.push(old(hour.format(Date.now() - age * 1000)));
      if (away) told.push(closed);
      const text = told.join(' ');
      if (banner.textContent !== text) banner.textContent = text;
      banner.hidden = !text;
      if (text) next = alert;
    } catch {
      // The shopper's own connection: the page tells of it.
    }
    setTimeout(look, next);
  }
  look();
})();
