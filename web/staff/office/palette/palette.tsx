import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { answer } from '../../../kit/api/answer';
import { classes } from '../../../kit/design/classes';
import { Dialog } from '../../../kit/design/dialog';
import { useNavigate } from '../../../kit/router/router';
import { api } from '../../api/client';
import type { Way } from '../../frame';
import { chooseLanguage, languageNames, languages, useLanguage } from '../../language';
import { useMay, useMe } from '../../me';
import f from '../../parts/field.module.css';
import s from './palette.module.css';
import { paletteTexts as w } from './texts/ru';

/** Something found: its name, what it is, and where it leads or what it does. */
type Found = { key: string; name: string; kind: string; act: () => void };

/** What staff begin on a screen. */
const begun: Way[] = [
  { to: '/admin/products/new', name: () => w.add, needs: 'catalog.change' },
  { to: '/admin/stock', name: () => w.receive, needs: 'stock.change' },
  { to: '/admin/stock?mode=count', name: () => w.count, needs: 'stock.change' },
  { to: '/admin/orders/new', name: () => w.byPhone, needs: 'orders.change' },
  { to: '/admin/imports', name: () => w.import, needs: 'catalog.change' },
  { to: '/admin/promocodes/new', name: () => w.promocode, needs: 'rules.change' },
  { to: '/admin/blog/new', name: () => w.post, needs: 'content.change' },
  { to: '/admin/staff', name: () => w.invite, needs: 'staff.manage' },
  { to: '/admin/payments/reconciliation', name: () => w.reconcile, needs: 'payments.see' },
  { to: '/admin/changes/difference', name: () => w.compare, needs: 'audit.see' },
];

const plain = (text: string) => text.toLowerCase().replaceAll('ё', 'е');

/** Screens, actions, orders, products and customers by a few letters. */
export default function Palette({ ways, close }: { ways: Way[]; close: () => void }) {
  const id = useId();
  const navigate = useNavigate();
  const { permissions } = useMe();
  const [open, setOpen] = useState(true);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const query = typed.trim();
  const spoken = useLanguage();
  const leadTo = (kind: string) => (place: Place) => ({
    key: `${kind} ${place.to}`,
    name: place.name,
    kind,
    act: () => navigate(place.to),
  });
  const may = (all: Way[]) =>
    all
      .filter(({ needs }) => !needs || permissions.includes(needs))
      .map(({ to, name }) => ({ to, name: name() }));
  const speak = languages
    .filter((one) => one !== spoken)
    .map((one) => ({
      key: one,
      name: w.speak(languageNames[one]),
      kind: w.action,
      act: () => void chooseLanguage(one),
    }));
  const found: Found[] = [
    ...[...may(ways).map(leadTo(w.screen)), ...may(begun).map(leadTo(w.action)), ...speak].filter(
      ({ name }) => plain(name).includes(plain(query)),
    ),
    ...useOrders(query).map(leadTo(w.order)),
    ...useProducts(query).map(leadTo(w.product)),
    ...useCustomers(query).map(leadTo(w.customer)),
  ];
  const here = Math.min(at, found.length - 1);
  const go = (one: Found | undefined) => {
    if (!one) return;
    setOpen(false);
    one.act();
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      setAt((here + by + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(found[here]);
    }
  };
  return (
    <Dialog open={open} onClose={close} label={w.title} place="top">
      <div className={s.panel}>
        <label className={f.field}>
          {w.query}
          <input
            data-first
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-found`}
            aria-activedescendant={found.length > 0 ? `${id}-${here}` : undefined}
            autoComplete="off"
            value={typed}
            maxLength={200}
            onChange={({ target }) => {
              setTyped(target.value);
              setAt(0);
            }}
            onKeyDown={press}
          />
        </label>
        <p role="status" className={s.count}>
          {found.length > 0 ? w.found(found.length) : w.none}
        </p>
        <div role="listbox" id={`${id}-found`} className={s.found} aria-label={w.title}>
          {found.map((one, n) => (
            // biome-ignore lint/a11y/useFocusableInteractive: see above
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={one.key}
              role="option"
              id={`${id}-${n}`}
              aria-selected={n === here}
              className={classes(s.one, n === here && s.here)}
              onClick={() => go(one)}
            >
              {one.name} <span className={s.kind}>{one.kind}</span>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

/** Something with a page of its own. */
type Place = { to: string; name: string };

function useOrders(query: string): Place[] {
  const may = useMay('orders.see');
  return may && /^\d{4,9}$/.test(query) ? [{ to: `/admin/orders/${query}`, name: w.orderNumber(query) }] : [];
}

function useProducts(query: string): Place[] {
  const may = useMay('catalog.see');
  const { data } = useQuery({
    queryKey: ['office', 'palette', 'products', query],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/staff/products/', { params: { query: { query, limit: 6 } }, signal })),
    enabled: may && query.length > 1,
    placeholderData: keepPreviousData,
  });
  if (query.length < 2 || !data) return [];
  return data.results.map(({ article, name }) => ({
    to: `/admin/products/${encodeURIComponent(article)}`,
    name: `${article} ${name}`,
  }));
}

/** Persons are asked for by letters or a whole phone only, as each look at them is recorded. */
function useCustomers(query: string): Place[] {
  const may = useMay('customers.see');
  const asked = may && query.length > 3;
  const { data } = useQuery({
    queryKey: ['persons', 'palette', query],
    queryFn: ({ signal }) =>
      answer(api.POST('/api/staff/customers/search/', { body: { query, limit: 5, offset: 0 }, signal })),
    enabled: asked,
    staleTime: 60_000,
  });
  if (!asked || !data) return [];
  return data.results.map(({ id, name, email }) => ({
    to: `/admin/customers/${id}`,
    name: name || email,
  }));
}
