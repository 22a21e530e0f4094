import { useSearchParams } from '../../../kit/router/router';
import { useMay } from '../../me';
import { money } from '../../parts/format';
import { Fact, Facts, Moment, Section } from '../../parts/parts';
import type { OrderSheet, OrderStatus } from '../api/queries';
import { eventTexts, sheetTexts as w } from '../texts/ru';
import { Letter } from './letter';
import s from './order.module.css';
import { Status } from './status';

type Step = OrderSheet['steps'][number];

/** What happened to the order, who did it, and a slider that shows it as it was after any of its events. */
export function Timeline({ sheet }: { sheet: OrderSheet }) {
  const last = sheet.steps.length - 1;
  const [address, setAddress] = useSearchParams();
  const shown = stepAt(sheet.steps, address.get('at')) ?? last;
  const show = (index: number) => {
    const next = new URLSearchParams(address);
    if (index >= last) next.delete('at');
    else next.set('at', String(sheet.steps[index]?.position));
    setAddress(next, { replace: true });
  };
  const step = sheet.steps[shown] as Step;
  const lastRemoval = sheet.steps.findLastIndex(({ type }) => type === 'order.delivery-photos-removed');
  return (
    <Section title={w.timeline}>
      <label className={s.slider}>
        <span>
          {w.at}: {shown === last ? w.now : <Moment at={step.recorded_at} />}
        </span>
        <input
          type="range"
          min={0}
          max={last}
          value={shown}
          aria-valuetext={shown === last ? w.now : nameOf(step)}
          onChange={({ target }) => show(Number(target.value))}
        />
      </label>
      {shown < last ? <AsItWas step={step} /> : null}
      <ol className={s.steps}>
        {sheet.steps.map((one, index) => (
          <li key={one.position} aria-current={shown < last && index === shown ? 'step' : undefined}>
            <b>{nameOf(one)}</b>
            <Detail step={one} />
            {one.type === photographed && index > lastRemoval ? (
              <Photo number={sheet.number} step={one} />
            ) : null}
            <span className={s.quiet}>
              {whoOf(one.actor)} · <Moment at={one.recorded_at} />
            </span>
            {one.letters.map(({ kind, state }) => (
              <Letter key={kind} number={sheet.number} version={one.version} kind={kind} state={state} />
            ))}
          </li>
        ))}
      </ol>
    </Section>
  );
}

const photographed = 'order.delivery-photographed';

/** A photo of the hand-over, for whoever may see persons. */
function Photo({ number, step }: { number: number; step: Step }) {
  const { photo_id: photo } = (step.data ?? {}) as { photo_id?: string };
  const persons = useMay('personal.see');
  if (!persons || !photo) return null;
  const src = `/api/staff/orders/${number}/photos/${photo}/`;
  return (
    <a href={src} target="_blank" rel="noreferrer" aria-label={w.wholePhoto}>
      <img className={s.photo} src={`${src}?small=true`} alt={w.photo(number)} loading="lazy" />
    </a>
  );
}

/** The last of an order's events up to `at`: a position of the log, or a time; undefined when it says neither. */
function stepAt(steps: Step[], at: string | null): number | undefined {
  if (!at) return undefined;
  const time = Date.parse(at);
  const upTo = /^\d+$/.test(at)
    ? ({ position }: Step) => position <= Number(at)
    : ({ recorded_at }: Step) => Date.parse(recorded_at) <= time;
  if (!/^\d+$/.test(at) && Number.isNaN(time)) return undefined;
  return Math.max(0, steps.findLastIndex(upTo));
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
