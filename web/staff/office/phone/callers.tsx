import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../../parts/parts';
import type { Draft } from './draft';
import s from './phone.module.css';
import { phoneQueries } from './queries';
import { phoneTexts as w } from './texts/ru';

/** Who ordered before with this phone or e-mail: one press fills in what is known. */
export function Callers({ draft, change }: { draft: Draft; change: (part: Partial<Draft>) => void }) {
  const [asked, setAsked] = useState('');
  const found = useQuery(phoneQueries.callers(asked));
  const query = draft.phone.trim() || draft.email.trim();
  const people = new Map(found.data?.results.map((row) => [`${row.phone} ${row.email} ${row.name}`, row]));
  return (
    <>
      <Action onClick={() => setAsked(query)} aria-disabled={query === ''}>
        {w.find}
      </Action>
      <ul className={s.found} aria-label={w.found}>
        {[...people.values()].slice(0, 5).map((row) => (
          <li key={row.id}>
            <span>
              {row.name}, {row.phone}, {row.email}, {row.city}
            </span>
            <Action
              aria-label={w.takeOf(row.name)}
              onClick={() => {
                const [first = '', ...last] = row.name.split(' ');
                const [street = '', house = ''] = row.street.split(', ');
                change({
                  first,
                  last: last.join(' '),
                  phone: row.phone,
                  email: row.email,
                  ...(row.city ? { city: row.city, street, house } : {}),
                });
              }}
            >
              {w.take}
            </Action>
          </li>
        ))}
      </ul>
      {asked && found.data?.results.length === 0 ? (
        <p role="status" className={s.quiet}>
          {w.nobodyFound}
        </p>
      ) : null}
    </>
  );
}
