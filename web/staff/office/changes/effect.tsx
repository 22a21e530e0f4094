import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Table } from '../../../kit/table/table';
import { words } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action, Moment, Section } from '../../parts/parts';
import d from '../desk/desk.module.css';
import {
  type ChangeSheet,
  changeQueries,
  type Effect,
  type EffectDays,
  effectSpans,
  measure,
} from './queries';
import { effectTexts as w } from './texts/ru';

/** What a change would have made of the orders of the last days: on its page, with what was shown before it was decided. */
export function EffectSection({ sheet }: { sheet: ChangeSheet }) {
  const client = useQueryClient();
  const sees = useMay('reports.see');
  const priced = sheet.things.some((thing) => ['product', 'rules', 'promocode'].includes(thing));
  const kept = useQuery({ ...changeQueries.effects(sheet.id), enabled: sees && priced });
  if (!sees || !priced) return null;
  return (
    <Section title={w.title}>
      {kept.data?.results.map(({ name, at, effect }) => (
        <details key={effect.days}>
          <summary>
            {w.shownTo(w.span[effect.days], name)} · <Moment at={at} />
          </summary>
          <EffectTable effect={effect} />
        </details>
      ))}
      <Ask
        ask={async (days) => {
          const effect = await measure(sheet.id, days);
          await client.invalidateQueries({ queryKey: changeQueries.effects(sheet.id).queryKey });
          return effect;
        }}
      />
    </Section>
  );
}

/** Asks for the effect of a span of days and shows it. */
export function Ask({
  ask,
  shown,
  children,
}: {
  ask: (days: EffectDays) => Promise<Effect>;
  /** Hears which span was shown. */
  shown?: (days: EffectDays) => void;
  children?: ReactNode;
}) {
  const [days, setDays] = useState<EffectDays>(90);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const [effect, setEffect] = useState<Effect>();
  const act = async () => {
    setBusy(true);
    setFailed('');
    try {
      setEffect(await ask(days));
      shown?.(days);
    } catch (error) {
      setFailed(words(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div className={d.actions}>
        <label className={f.field}>
          {w.days}
          <select
            value={days}
            onChange={({ target }) =>
              setDays(effectSpans.find((span) => String(span) === target.value) ?? 90)
            }
          >
            {effectSpans.map((span) => (
              <option key={span} value={span}>
                {w.span[span]}
              </option>
            ))}
          </select>
        </label>
        <Action aria-disabled={busy} onClick={() => (busy ? undefined : void act())}>
          {busy ? w.measuring : w.measure}
        </Action>
        {children}
      </div>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
      {effect ? <EffectTable effect={effect} /> : null}
    </>
  );
}

const rows: (keyof typeof w.figures)[] = [
  'revenue',
  'orders',
  'average',
  'goods',
  'product_discounts',
  'discounts',
  'bonuses',
  'delivery',
  'below_minimum',
  'no_cash',
  'free_delivery',
  'in_tier',
  'margin',
];

/** The orders without a change and with it, and what that takes for granted. */
export function EffectTable({ effect }: { effect: Effect }) {
  const costs = useMay('costs.see');
  const { was, would } = effect;
  const known = costs && was.costed + would.costed > 0;
  return (
    <>
      <p role="status">{w.about(count(effect.orders), count(effect.touched))}</p>
      <Table
        caption={w.title}
        columns={[
          { key: 'figure', title: w.figure, head: true, cell: (key) => w.figures[key] },
          { key: 'was', title: w.without, cell: (key) => count(was[key]) },
          { key: 'would', title: w.with, cell: (key) => count(would[key]) },
          { key: 'change', title: w.difference, cell: (key) => signed(would[key] - was[key]) },
        ]}
        rows={rows.filter((key) => key !== 'margin' || known)}
        rowKey={(key) => key}
      />
      {known ? <p className={d.quiet}>{w.costed(count(would.costed))}</p> : null}
      <details>
        <summary>{w.assumed}</summary>
        <ul>
          {effect.assumptions
            .filter((name) => name !== 'costs' || known)
            .map((name) => (
              <li key={name}>{w.assumptions[name as keyof typeof w.assumptions] ?? name}</li>
            ))}
        </ul>
      </details>
    </>
  );
}

const signed = (n: number) => (n > 0 ? `+${count(n)}` : n < 0 ? `−${count(-n)}` : '0');
