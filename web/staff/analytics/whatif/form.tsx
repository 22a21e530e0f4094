import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Problem } from '../../src/api/problem';
import { post, words } from '../../staff/api/client';
import f from '../../staff/parts/field.module.css';
import { Action } from '../../staff/parts/parts';
import { queries } from '../api/queries';
import type { Replay, Rules } from '../api/types';
import { save } from '../save';
import {
  ascending,
  type City,
  type Draft,
  differing,
  draftOf,
  type Faults,
  faultsOf,
  fileOver,
  kept,
  otherRules,
  priceRules,
  rulesOf,
  type Tier,
} from './draft';
import s from './form.module.css';

/** Edits the rules and starts a trial; only what differs from today's is sent. */
export function RulesForm({ today, begin }: { today: Rules; begin: Rules }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(begin));
  const [faults, setFaults] = useState<Faults>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const tier = (key: number, part: Partial<Tier>) =>
    set({ tiers: draft.tiers.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  const city = (key: number, part: Partial<City>) =>
    set({ delivery: draft.delivery.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  const begins = (rules: Rules) => {
    setDraft(draftOf(rules));
    setFaults({});
  };
  // What is added is typed into next.
  const focusLast = (list: string) =>
    setTimeout(() =>
      form.current?.querySelector<HTMLInputElement>(`[data-list=${list}]:last-of-type input`)?.focus(),
    );
  // The first field that is wrong is mended next.
  useEffect(() => {
    if (Object.keys(faults).length > 0)
      form.current?.querySelector<HTMLInputElement>('[aria-invalid=true]')?.focus();
  }, [faults]);

  /** The rules that the form says, once every field can be read. */
  const said = () => {
    const sorted = ascending(draft);
    const { rules, faults } = rulesOf(sorted);
    setDraft(sorted);
    setFaults(faults);
    return Object.keys(faults).length > 0 ? undefined : rules;
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const rules = said();
    if (!rules) return;
    const tried = differing(rules, today);
    if (Object.keys(tried).length === 0) return setFaults({ '': 'Nothing differs from today’s rules yet.' });
    setBusy(true);
    try {
      const replay = await post<Replay>('/api/analytics/replays/', { rules: tried });
      client.invalidateQueries({ queryKey: queries.replays().queryKey });
      navigate(`/analytics/what-if/${encodeURIComponent(replay.id)}`);
    } catch (failure) {
      const about = failure instanceof Problem ? failure.fields.rules : undefined;
      setFaults(about ? faultsOf(about) : { '': words(failure) });
      setBusy(false);
    }
  };

  const open = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const text = await target.files?.[0]?.text();
    target.value = ''; // the same file can be chosen again
    if (text === undefined) return;
    const read = fileOver(text, today);
    if (typeof read === 'string') setFaults({ '': read });
    else begins(read);
  };
  const keep = () => {
    const rules = said();
    if (rules) save('rules.json', `${JSON.stringify(rules, null, 2)}\n`, 'application/json');
  };

  const numbersOf = (rules: typeof priceRules) =>
    rules.map(({ rule, label, unit }) => (
      <Text
        key={rule}
        label={unit ? `${label}, ${unit}` : label}
        value={draft[rule]}
        fault={faults[rule]}
        change={(text) => set({ [rule]: text })}
      />
    ));
  // Faults of no one field, or of a list as a whole, are told below.
  const isShown = (path: string) => /\]\.|^(?!tiers$|delivery$)[a-z_]+$/.test(path);
  const rest = Object.entries(faults).filter(([path]) => !isShown(path));

  return (
    <form ref={form} className={s.form} onSubmit={submit} aria-label="Rules to try" noValidate>
      <fieldset className={s.group}>
        <legend>Discount tiers of the whole order</legend>
        {draft.tiers.map(({ key, from, percent }, at) => (
          <div key={key} className={s.row} data-list="tiers">
            <Text
              label={`Tier ${at + 1}, from, ₸`}
              value={from}
              fault={faults[`tiers[${at}].from`]}
              change={(from) => tier(key, { from })}
            />
            <Text
              label={`Tier ${at + 1}, percent, %`}
              value={percent}
              fault={faults[`tiers[${at}].percent`]}
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
        <div className={s.row}>{numbersOf(priceRules)}</div>
      </fieldset>
      <fieldset className={s.group}>
        <legend>Delivery</legend>
        {draft.delivery.map(({ key, city: name, aliases, price, free_from }, at) => (
          <div key={key} className={s.row} data-list="delivery">
            <Text
              label={`City ${at + 1}`}
              value={name}
              fault={faults[`delivery[${at}].city`]}
              change={(name) => city(key, { city: name })}
              words
            />
            <Text
              label={`City ${at + 1}, also written`}
              value={aliases}
              change={(aliases) => city(key, { aliases })}
              words
            />
            <Text
              label={`City ${at + 1}, price, ₸`}
              value={price}
              fault={faults[`delivery[${at}].price`]}
              change={(price) => city(key, { price })}
            />
            <Text
              label={`City ${at + 1}, free from, ₸`}
              value={free_from}
              fault={faults[`delivery[${at}].free_from`]}
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
            set({
              delivery: [...draft.delivery, kept({ city: '', aliases: '', price: '', free_from: '' })],
            });
            focusLast('delivery');
          }}
        >
          Add a city
        </Action>
      </fieldset>
      <fieldset className={s.group}>
        <legend>Rules that change no price</legend>
        <p className={s.about}>
          They go along in a file, and make a trial of their own; its sums stay as they were.
        </p>
        <div className={s.row}>{numbersOf(otherRules)}</div>
        <label className={s.check}>
          <input
            type="checkbox"
            checked={draft.reviews_moderated}
            onChange={({ target }) => set({ reviews_moderated: target.checked })}
          />
          Reviews wait for staff
        </label>
      </fieldset>
      <p role="alert" className={s.error}>
        {rest.map(([path, message]) => (path ? `${path}: ${message}` : message)).join(' ')}
      </p>
      <div className={s.buttons}>
        <Action type="submit" kind="strong" className={s.start} aria-disabled={busy}>
          {busy ? 'Starting…' : 'Try these rules'}
        </Action>
        <Action className={s.start} onClick={() => begins(today)}>
          Back to today’s rules
        </Action>
        <Action kind="plain" className={s.start} onClick={() => file.current?.click()}>
          Open a file
        </Action>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          aria-label="File of rules"
          hidden
          onChange={open}
        />
        <Action kind="plain" className={s.start} onClick={keep}>
          Save as a file
        </Action>
      </div>
    </form>
  );
}

function Text({
  label,
  value,
  fault,
  change,
  words: isWords = false,
}: {
  label: string;
  value: string;
  fault?: string | undefined;
  change: (text: string) => void;
  words?: boolean;
}) {
  const id = useId();
  return (
    <div className={s.field}>
      <label className={f.field}>
        <span>{label}</span>
        <input
          value={value}
          inputMode={isWords ? undefined : 'numeric'}
          autoComplete="off"
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? id : undefined}
          onChange={({ target }) => change(target.value)}
        />
      </label>
      {fault ? (
        <p id={id} className={s.error}>
          {fault}
        </p>
      ) : null}
    </div>
  );
}
