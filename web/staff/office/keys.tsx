import { useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../../kit/design/dialog';
import { useNavigate } from '../../kit/router/router';
import type { Permission } from '../api/types';
import { useMe } from '../me';
import { Action } from '../parts/parts';
import s from './keys.module.css';
import { parcelTexts } from './parcels/texts/ru';
import { officeTexts, keyTexts as w } from './texts/ru';

/** Where `g` and a letter lead. */
const ways: { key: string; to: string; name: () => string; needs?: Permission }[] = [
  { key: 't', to: '/admin', name: () => officeTexts.today },
  { key: 'o', to: '/admin/orders', name: () => officeTexts.orders, needs: 'orders.see' },
  { key: 'p', to: '/admin/orders/new', name: () => officeTexts.byPhone, needs: 'orders.change' },
  { key: 's', to: '/admin/packing', name: () => parcelTexts.packing, needs: 'orders.pack' },
  { key: 'd', to: '/admin/deliveries', name: () => parcelTexts.deliveries, needs: 'orders.pack' },
  { key: 'k', to: '/admin/customers', name: () => officeTexts.customers, needs: 'customers.see' },
  { key: 'a', to: '/admin/products', name: () => officeTexts.products, needs: 'catalog.see' },
  { key: 'n', to: '/admin/notices', name: () => officeTexts.notices },
];

/** Keys of the grid of products, which listens to them itself. */
const gridKeys: { keys: string[]; name: () => string }[] = [
  { keys: ['Enter'], name: () => w.cell },
  { keys: ['Shift', '↑ ↓ ← →'], name: () => w.cells },
  { keys: ['Ctrl', 'C'], name: () => w.copied },
  { keys: ['Space'], name: () => w.chosen },
];

/** How long after `g` the letter may come, in milliseconds. */
const patience = 1_500;

/** The same key under a Russian or Kazakh layout: by its place, not by its letter. */
const pressed = ({ key, code }: KeyboardEvent): string =>
  key === '?' || (code === 'Slash' && key === '/')
    ? key
    : /^Key[A-Z]$/.test(code)
      ? code.slice(3).toLowerCase()
      : key;

/** Whether what has the focus takes letters itself. */
const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, dialog') !== null);

/** The keys of the office, and the list of them on `?`. They are off while somebody types, and with other keys held. */
export function Keys() {
  const { permissions } = useMe();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const title = useId();
  const begun = useRef(0);
  const mine = ways.filter(({ needs }) => !needs || permissions.includes(needs));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target))
        return;
      const key = pressed(event);
      const after = Date.now() - begun.current < patience;
      begun.current = 0;
      const way = after ? ways.find((one) => one.key === key) : undefined;
      if (way && (!way.needs || permissions.includes(way.needs))) {
        event.preventDefault();
        navigate(way.to);
      } else if (key === 'g') begun.current = Date.now();
      else if (key === '?') {
        event.preventDefault();
        setOpen(true);
      } else if (key === '/') {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (search) event.preventDefault();
        search?.focus();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, permissions]);
  return (
    <Dialog open={open} onClose={() => setOpen(false)} labelledBy={title}>
      <h2 id={title}>{w.title}</h2>
      <dl className={s.keys}>
        {mine.map(({ key, name }) => (
          <div key={key}>
            <dt>
              <kbd>{'g'}</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name()}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>{'Ctrl'}</kbd> <kbd>{'K'}</kbd>
          </dt>
          <dd>{w.palette}</dd>
        </div>
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>{w.search}</dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>{w.title}</dd>
        </div>
      </dl>
      {permissions.includes('catalog.see') ? (
        <>
          <h3>{w.grid}</h3>
          <dl className={s.keys}>
            {gridKeys.map(({ keys, name }) => (
              <div key={keys.join()}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{name()}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
      <p>{w.off}</p>
      <Action kind="strong" onClick={() => setOpen(false)}>
        {w.close}
      </Action>
    </Dialog>
  );
}
