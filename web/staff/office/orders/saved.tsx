import { useState } from 'react';
import { Action } from '../../parts/parts';
import { orderListTexts as w } from '../texts/ru';
import s from './orders.module.css';

const key = 'office.orders.lists';

/** Lists by name, as the filters of their address. They stay in this browser. */
type Saved = Record<string, string>;

function kept(): Saved {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Saved;
  } catch {
    return {};
  }
}

/** Filters that somebody uses again and again, under names of their own. */
export function SavedLists({
  address,
  open,
}: {
  address: URLSearchParams;
  open: (saved: URLSearchParams) => void;
}) {
  const [saved, setSaved] = useState(kept);
  const keep = (next: Saved) => {
    localStorage.setItem(key, JSON.stringify(next));
    setSaved(next);
  };
  return (
    <details className={s.saved}>
      <summary>{w.saved}</summary>
      <ul>
        {Object.entries(saved).map(([name, filters]) => (
          <li key={name}>
            <Action kind="plain" onClick={() => open(new URLSearchParams(filters))}>
              {name}
            </Action>
            <Action
              kind="plain"
              aria-label={w.forget(name)}
              onClick={() => keep(Object.fromEntries(Object.entries(saved).filter(([one]) => one !== name)))}
            >
              ×
            </Action>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
          if (!name) return;
          const filters = new URLSearchParams(address);
          filters.delete('offset');
          filters.delete('at');
          keep({ ...saved, [name]: String(filters) });
          event.currentTarget.reset();
        }}
      >
        <input name="name" aria-label={w.saveName} placeholder={w.saveName} maxLength={40} required />
        <Action type="submit">{w.save}</Action>
      </form>
    </details>
  );
}
