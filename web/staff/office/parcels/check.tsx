import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action, Section } from '../../parts/parts';
import { Camera } from './camera';
import s from './parcels.module.css';
import { type Parcel, pack } from './queries';
import { type Counted, complete, scan } from './scan';
import { parcelTexts as w } from './texts/ru';

type Said = { kind: string; text: string };

/** One order is checked piece by piece: scanners type and press Enter, cameras do as well. When all is there it is packed. */
export function Check({ order, close }: { order: Parcel; close: () => void }) {
  const client = useQueryClient();
  const [counted, setCounted] = useState<Counted>({});
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [said, setSaid] = useState<Said>({ kind: '', text: '' });
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const finish = async (body: Parameters<typeof pack>[1]) => {
    setBusy(true);
    try {
      await pack(order.number, body);
      setSaid({ kind: 'right', text: w.allChecked });
      await client.invalidateQueries({ queryKey: ['office'] });
    } catch (error) {
      setSaid({ kind: 'wrong', text: words(error) });
    } finally {
      setBusy(false);
    }
  };
  const take = (code: string) => {
    setTyped('');
    field.current?.focus();
    if (busy || order.packed_at) return;
    const result = scan(order, counted, code);
    if (result.kind !== 'right') {
      const text = { wrong: w.wrong(result.code), many: w.tooMany(result.code), garbage: w.garbage };
      return setSaid({ kind: result.kind, text: text[result.kind] });
    }
    setCounted(result.counted);
    setSaid({ kind: 'right', text: w.found(result.article, result.left) });
    if (complete(order, result.counted)) {
      finish({ checked: Object.entries(result.counted).map(([article, amount]) => ({ article, amount })) });
    }
  };
  return (
    <Section title={w.order(order.number)} aside={<Action onClick={close}>{w.close}</Action>}>
      <form
        className={s.bar}
        onSubmit={(event) => {
          event.preventDefault();
          take(typed);
        }}
      >
        <label className={f.field}>
          {w.scan}
          <input
            ref={field}
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <Action type="submit" kind="strong">
          {w.add}
        </Action>
        <Camera take={take} />
      </form>
      <p role="status" className={s.said} data-kind={said.kind}>
        {order.packed_at ? w.allChecked : said.text}
      </p>
      <ul className={s.list}>
        {order.lines.map(({ article, name, amount, shelf }) => {
          const have = order.packed_at ? amount : (counted[article] ?? 0);
          return (
            <li key={article} className={s.card}>
              <div className={s.row}>
                <b>{shelf || '—'}</b>
                <span className={have >= amount ? s.done : undefined}>
                  {article} {name}
                </span>
                <span>{w.checked(have, amount)}</span>
              </div>
            </li>
          );
        })}
      </ul>
      {order.packed_at ? null : (
        <form
          className={s.bar}
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && reason.trim()) finish({ reason });
          }}
        >
          <label className={f.field}>
            {w.byHandWhy}
            <input value={reason} maxLength={200} onChange={({ target }) => setReason(target.value)} />
          </label>
          <Action type="submit" disabled={!reason.trim()}>
            {w.byHand}
          </Action>
        </form>
      )}
    </Section>
  );
}
