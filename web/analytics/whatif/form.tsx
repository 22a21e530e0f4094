import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { post, words } from '../../staff/api/client';
import { Action } from '../../staff/parts/parts';
import { queries } from '../api/queries';
import type { Replay, Rules } from '../api/types';
import p from '../parts.module.css';
import s from './form.module.css';

/** A row of a list in the form, with a key that stays its own while rows come and go. */
type Kept<T> = T & { key: number };
type Tier = { from: string; percent: string };
type City = { city: string; price: string; free_from: string; aliases: string[] };
type Draft = {
  tiers: Kept<Tier>[];
  delivery: Kept<City>[];
  minimum_sum: string;
  bonus_spend_percent: string;
};

let keys = 0;
const kept = <T,>(row: T): Kept<T> => ({ ...row, key: keys++ });

const draftOf = (rules: Rules): Draft => ({
  tiers: rules.tiers.map(({ from, percent }) => kept({ from: String(from), percent: String(percent) })),
  delivery: rules.delivery.map(({ city, aliases, price, free_from }) =>
    kept({ city, aliases: aliases ?? [], price: String(price), free_from: String(free_from) }),
  ),
  minimum_sum: String(rules.minimum_sum),
  bonus_spend_percent: String(rules.bonus_spend_percent),
});

/** The rules that the draft says, or the name of the first field that is no whole number. */
function rulesOf({ tiers, delivery, minimum_sum, bonus_spend_percent }: Draft): Partial<Rules> | string {
  let wrong = '';
  const number = (text: string, field: string) => {
    const digits = text.replace(/[\s,]/g, '');
    if (!/^\d+$/.test(digits)) wrong ||= field;
    return Number(digits);
  };
  const rules = {
    tiers: tiers
      .map(({ from, percent }, at) => ({
        from: number(from, `Tier ${at + 1}, from`),
        percent: number(percent, `Tier ${at + 1}, percent`),
      }))
      .sort((a, b) => a.from - b.from),
    minimum_sum: number(minimum_sum, 'Minimum order sum'),
    bonus_spend_percent: number(bonus_spend_percent, 'Bonuses pay at most'),
    delivery: delivery.map(({ city, aliases, price, free_from }, at) => ({
      city: city.trim(),
      aliases,
      price: number(price, `${city || `City ${at + 1}`}, price`),
      free_from: number(free_from, `${city || `City ${at + 1}`}, free from`),
    })),
  };
  return wrong || rules;
}

/** Edits the rules and starts a trial; only what differs from today's is sent. */
export function RulesForm({ today, begin }: { today: Rules; begin: Rules }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(begin));
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const tier = (key: number, part: Partial<Tier>) =>
    set({ tiers: draft.tiers.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  const city = (key: number, part: Partial<City>) =>
    set({ delivery: draft.delivery.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  // What is added is typed into next.
  const focusLast = (list: string) =>
    setTimeout(() =>
      form.current?.querySelector<HTMLInputElement>(`[data-list=${list}]:last-of-type input`)?.focus(),
    );

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const said = rulesOf(draft);
    if (typeof said === 'string') return setError(`${said}: must be a whole number.`);
    const rules = Object.fromEntries(
      Object.entries(said).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(today[name as keyof Rules]),
      ),
    );
    if (Object.keys(rules).length === 0) return setError('Nothing differs from today’s rules yet.');
    setBusy(true);
    setError('');
    try {
      const replay = await post<Replay>('/api/analytics/replays/', { rules });
      client.invalidateQueries({ queryKey: queries.replays().queryKey });
      navigate(`/analytics/what-if/${encodeURIComponent(replay.id)}`);
    } catch (failure) {
      setError(words(failure));
      setBusy(false);
    }
  };

  return (
    <form ref={form} className={s.form} onSubmit={submit} aria-label="Rules to try" noValidate>
      <fieldset className={s.group}>
        <legend>Discount tiers of the whole order</legend>
        {draft.tiers.map(({ key, from, percent }, at) => (
          <div key={key} className={s.row} data-list="tiers">
            <Text
              label={`Tier ${at + 1}, from`}
              unit="₸"
              value={from}
              change={(from) => tier(key, { from })}
            />
            <Text
              label={`Tier ${at + 1}, percent`}
              unit="%"
              value={percent}
              change={(percent) => tier(key, { percent })}
            />
            <Action
              kind="plain"
              aria-label={`Remove tier ${at + 1}`}
              onClick={() => set({ tiers: draft.tiers.filter((one) => one.key !== key) })}
            >
              Remove
            </Action>
          </div>
        ))}
        <Action
          onClick={() => {
            set({ tiers: [...draft.tiers, kept({ from: '', percent: '' })] });
            focusLast('tiers');
          }}
        >
          Add a tier
        </Action>
      </fieldset>
      <fieldset className={s.group}>
        <legend>Order</legend>
        <div className={s.row}>
          <Text
            label="Minimum order sum"
            unit="₸"
            value={draft.minimum_sum}
            change={(minimum_sum) => set({ minimum_sum })}
          />
          <Text
            label="Bonuses pay at most"
            unit="%"
            value={draft.bonus_spend_percent}
            change={(bonus_spend_percent) => set({ bonus_spend_percent })}
          />
        </div>
      </fieldset>
      <fieldset className={s.group}>
        <legend>Delivery</legend>
        {draft.delivery.map(({ key, city: name, price, free_from }, at) => (
          <div key={key} className={s.row} data-list="delivery">
            <Text label={`City ${at + 1}`} value={name} change={(name) => city(key, { city: name })} words />
            <Text
              label={`City ${at + 1}, price`}
              unit="₸"
              value={price}
              change={(price) => city(key, { price })}
            />
            <Text
              label={`City ${at + 1}, free from`}
              unit="₸"
              value={free_from}
              change={(free_from) => city(key, { free_from })}
            />
            <Action
              kind="plain"
              aria-label={`Remove city ${at + 1}`}
              onClick={() => set({ delivery: draft.delivery.filter((one) => one.key !== key) })}
            >
              Remove
            </Action>
          </div>
        ))}
        <Action
          onClick={() => {
            set({ delivery: [...draft.delivery, kept({ city: '', price: '', free_from: '', aliases: [] })] });
            focusLast('delivery');
          }}
        >
          Add a city
        </Action>
      </fieldset>
      <p role="alert" className={s.error}>
        {error}
      </p>
      <div className={s.buttons}>
        <Action type="submit" kind="strong" className={s.start} aria-disabled={busy}>
          {busy ? 'Starting…' : 'Try these rules'}
        </Action>
        <Action className={s.start} onClick={() => setDraft(draftOf(today))}>
          Back to today’s rules
        </Action>
      </div>
    </form>
  );
}

function Text({
  label,
  unit,
  value,
  change,
  words: isWords = false,
}: {
  label: string;
  unit?: ReactNode;
  value: string;
  change: (text: string) => void;
  words?: boolean;
}) {
  return (
    <label className={p.field}>
      <span>
        {label}
        {unit ? `, ${unit}` : ''}
      </span>
      <input
        value={value}
        inputMode={isWords ? undefined : 'numeric'}
        autoComplete="off"
        onChange={({ target }) => change(target.value)}
      />
    </label>
  );
}
