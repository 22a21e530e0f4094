import { useState } from 'react';
import { money } from '../../parts/format';
import { Fact, Facts, Moment, Section } from '../../parts/parts';
import type { OrderSheet, OrderStatus } from '../api/queries';
import { eventTexts, sheetTexts as w } from '../texts/ru';
import s from './order.module.css';
import { Status } from './status';

type Step = OrderSheet['steps'][number];

/** What happened to the order, who did it, and a slider that shows it as it was after any of its events. */
export function Timeline({ sheet }: { sheet: OrderSheet }) {
  const last = sheet.steps.length - 1;
  const [at, setAt] = useState<number>();
  const shown = Math.min(at ?? last, last);
  const step = sheet.steps[shown] as Step;
  return (
    <Section title={w.timeline}>
      <label className={s.slider}>
        <span>
          {w.at}: {at === undefined || shown === last ? w.now : <Moment at={step.recorded_at} />}
        </span>
        <input
          type="range"
          min={0}
          max={last}
          value={shown}
          aria-valuetext={shown === last ? w.now : nameOf(step)}
          onChange={({ target }) => setAt(Number(target.value))}
        />
      </label>
      {shown < last ? <AsItWas step={step} /> : null}
      <ol className={s.steps}>
        {sheet.steps.map((one, index) => (
          <li key={one.position} aria-current={shown < last && index === shown ? 'step' : undefined}>
            <b>{nameOf(one)}</b>
            <Detail step={one} />
            <span className={s.quiet}>
              {whoOf(one.actor)} · <Moment at={one.recorded_at} />
            </span>
            {one.letters.length > 0 ? (
              <span className={s.quiet}>
                {w.letters}: {one.letters.map(({ kind, state }) => `${kind} (${state})`).join(', ')}
              </span>
            ) : null}
          </li>
        ))}
      </ol>
    </Section>
  );
}

const nameOf = ({ type }: Step) => eventTexts.names[type] ?? type;

/** The name of an actor: the e-mail of staff, or what else wrote it. */
const whoOf = (actor: string) =>
  actor === 'guest' || actor.startsWith('customer')
    ? w.customer
    : actor.startsWith('system')
      ? w.system
      : actor;

function Detail({ step }: { step: Step }) {
  const data = (step.data ?? {}) as { amount?: number; reason?: string; tags?: string[] };
  const said = [data.amount ? money(data.amount) : '', data.reason ?? '', data.tags?.join(', ') ?? ''].filter(
    Boolean,
  );
  return said.length > 0 ? <span>{said.join(' · ')}</span> : null;
}

/** The order as it was: status and money of that moment. */
function AsItWas({ step }: { step: Step }) {
  const state = (step.state ?? {}) as { status?: OrderStatus; is_paid?: boolean; captured?: number };
  return (
    <section className={s.past} aria-label={w.asItWas('')}>
      <p>
        {w.asItWas('')} <Moment at={step.recorded_at} />
      </p>
      <Facts>
        {state.status ? (
          <Fact label={w.what}>
            <Status status={state.status} />
          </Fact>
        ) : null}
        <Fact label={w.payment}>{state.is_paid ? w.paid : w.notPaid}</Fact>
        {state.captured === undefined ? null : <Fact label={w.captured}>{money(state.captured)}</Fact>}
      </Facts>
    </section>
  );
}
