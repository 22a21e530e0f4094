import { useEffect, useId, useRef, useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { search } from '../../api/client';
import { useMay } from '../../me';
import { count, exact, moment } from '../../parts/format';
import { Action, Fact, Facts, Json, Moment } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import type { Effect, Step } from '../api/types';
import { MomentForm, momentOf } from '../moment';
import { dataWords } from '../texts/data-ru';
import { trailTexts } from '../texts/ru';
import s from './trail.module.css';
import { Changes, State } from './value';

/** What a stream is called, such as a product's name; undefined leaves its own. */
export type NameOf = (stream: string) => string | undefined;

/** The names of the stock that lines of goods move: those of the goods. */
export function goodsOf(lines: unknown): NameOf {
  const names = new Map(
    (Array.isArray(lines) ? lines : []).map(({ product_id, name }) => [`stock-${product_id}`, String(name)]),
  );
  return (stream) => names.get(stream);
}

/** How a stream's states are shown: the fields to begin with, and those to leave out. */
type Shown = { lead?: string[]; leave?: string[]; nameOf?: NameOf };

/**
 * Follows a stream: one goes along its events, and sees what each made of it. The version stands in the address, or a
 * moment whose last event is shown.
 */
export function Events({ steps, ...shown }: { steps: Step[] } & Shown) {
  const [, setAddress] = useSearchParams();
  const { at, named, then, asked, go } = useStep(steps);
  const step = steps[at - 1];
  if (!step) return null;
  return (
    <div className={s.events}>
      <Along at={at} last={steps.length} step={step} go={go} />
      <MomentForm at={then} show={(at) => setAddress(at ? { at } : {}, { replace: true })} />
      {at === named && (then || asked !== named) ? (
        <p role="status" className={s.said}>
          {answered(then, asked, steps)}
        </p>
      ) : null}
      <div className={s.columns}>
        <nav aria-label={trailTexts.events} className={s.ways}>
          <ol>
            {steps.map(({ position, type, recorded_at, actor }, index) => (
              <li key={position}>
                <Link to={`?version=${index + 1}`} aria-current={index + 1 === at ? 'step' : undefined}>
                  <b>{type}</b>
                  <span>
                    <Moment at={recorded_at} /> · {actor}
                  </span>
                </Link>
              </li>
            ))}
          </ol>
        </nav>
        {at === named && asked === 0 && then ? null : (
          <One key={step.position} step={step} first={at === 1} {...shown} />
        )}
      </div>
    </div>
  );
}

/**
 * Where one is among the events: at; where the address says: named. then and asked are what it says, a moment or '' and
 * a version.
 */
function useStep(steps: Step[]) {
  const [address, setAddress] = useSearchParams();
  const last = steps.length;
  const version = address.get('version');
  const then = version === null ? (address.get('at') ?? '') : '';
  const until = momentOf(then);
  const asked = Number.isNaN(until)
    ? Number(version ?? last)
    : steps.filter(({ recorded_at }) => Date.parse(recorded_at) <= until).length;
  const named = Number.isInteger(asked) ? Math.min(last, Math.max(1, asked)) : last;
  // The address follows a moment later: keys pressed quickly must not start from where it still is.
  const [at, setAt] = useState(named);
  const ahead = useRef<number>(undefined);
  useEffect(() => {
    if (ahead.current !== undefined && ahead.current !== named) return;
    ahead.current = undefined;
    setAt(named);
  }, [named]);
  const go = (version: number) => {
    setAt(version);
    ahead.current = version === named ? undefined : version;
    setAddress({ version: String(version) }, { replace: true });
  };
  return { at, named, then, asked, go };
}

/** The slider along the events. */
function Along({
  at,
  last,
  step,
  go,
}: {
  at: number;
  last: number;
  step: Step;
  go: (version: number) => void;
}) {
  const id = useId();
  return (
    <div className={s.along}>
      <label htmlFor={id} className={s.where}>
        <Rich text={trailTexts.afterEvent(at, last)} />
      </label>
      <input
        id={id}
        className={s.slider}
        type="range"
        min={1}
        max={last}
        value={at}
        aria-valuetext={trailTexts.valueText(at, last, step.type, moment(step.recorded_at))}
        onChange={({ target }) => go(Number(target.value))}
      />
      <div className={s.buttons}>
        <Action onClick={() => go(at - 1)} disabled={at === 1}>
          {trailTexts.earlier}
        </Action>
        <Action onClick={() => go(at + 1)} disabled={at === last}>
          {trailTexts.later}
        </Action>
      </div>
    </div>
  );
}

/** Says when the moment or version in the address is not exactly an event's. */
function answered(then: string, asked: number, steps: Step[]): string {
  const began = steps[0]?.recorded_at ?? '';
  if (then === '') return trailTexts.noEvent(asked, steps.length);
  if (Number.isNaN(momentOf(then))) return trailTexts.noTime(then);
  const time = moment(new Date(momentOf(then)).toISOString());
  if (asked === 0) return trailTexts.notYet(time, moment(began));
  return trailTexts.asItWas(time, asked);
}

function One({ step, first, lead, leave, nameOf }: { step: Step; first: boolean } & Shown) {
  const seesLog = useMay('log.see');
  const trace = (of: string) =>
    seesLog && of ? (
      <Link className={`${t.link} ${t.mono}`} to={`/ops/log${search({ trace: of })}`}>
        {of}
      </Link>
    ) : (
      <code className={t.mono}>{of || '—'}</code>
    );
  return (
    <article className={s.one} aria-labelledby={`event-${step.position}`}>
      <h2 id={`event-${step.position}`} className={s.title}>
        {step.type}
      </h2>
      <Facts>
        <Fact label={trailTexts.recorded}>
          <time dateTime={step.recorded_at} title={exact(step.recorded_at)}>
            {moment(step.recorded_at)}
          </time>
        </Fact>
        <Fact label={trailTexts.by}>{step.actor || '—'}</Fact>
        <Fact label={trailTexts.position}>{count(step.position)}</Fact>
        <Fact label={trailTexts.request}>{trace(step.correlation)}</Fact>
      </Facts>
      {step.erased ? <p className={s.said}>{trailTexts.erased}</p> : null}
      {step.error ? <p className={s.said}>{trailTexts.unreadable(step.error)}</p> : null}

      <h3 className={s.part}>{trailTexts.whatChanged}</h3>
      {first ? (
        <p className={s.said}>{trailTexts.begins}</p>
      ) : step.changes.length === 0 ? (
        <p className={s.said}>{trailTexts.nothingShown}</p>
      ) : (
        <Changes changes={step.changes} label={trailTexts.changes} />
      )}

      <h3 className={s.part}>{trailTexts.asThen}</h3>
      {step.state ? (
        <State of={step.state} lead={lead} leave={leave} />
      ) : (
        <p className={s.said}>{trailTexts.nothingYet}</p>
      )}

      <h3 className={s.part}>{trailTexts.outcome}</h3>
      <Effects step={step} nameOf={nameOf} />

      <details className={s.payload}>
        <summary>{trailTexts.payload}</summary>
        <Json value={step.data} />
      </details>
    </article>
  );
}

function Effects({ step, nameOf }: { step: Step; nameOf?: NameOf }) {
  return (
    <>
      <Table
        caption={trailTexts.effects}
        columns={effectColumns(step.stream, nameOf)}
        rows={step.effects}
        rowKey={({ position }) => position}
        empty={<p className={s.said}>{trailTexts.noOther}</p>}
      />
      <div className={s.facts}>
        <Facts>
          <Fact label={countTexts.letters(step.letters.length)}>
            {step.letters.map(told).join(', ') || trailTexts.none}
          </Fact>
          <Fact label={countTexts.readModels(step.projections.length)}>
            {step.projections.join(', ') || trailTexts.noneFold}
          </Fact>
        </Facts>
      </div>
    </>
  );
}

/** A letter's kind and state. */
const told = ({ kind, state, sent_at }: Step['letters'][number]) =>
  `${dataWords.letters[kind] ?? kind} (${dataWords.letterStates[state] ?? state}${sent_at ? ` ${moment(sent_at)}` : ''})`;

/** Where a stream's history is to be followed. */
function Stream({ effect, own, nameOf }: { effect: Effect; own: string; nameOf?: NameOf }) {
  const seesLog = useMay('log.see');
  const { stream, version } = effect;
  const [, kind, id] = stream.match(/^([a-z]+)-(.+)$/) ?? [];
  const name = nameOf?.(stream) ?? stream;
  if (stream === own)
    return (
      <Link className={t.link} to={`?version=${version}`}>
        {trailTexts.theSame(version)}
      </Link>
    );
  if (kind === 'stock' || kind === 'product')
    return (
      <Link className={t.link} to={`/analytics/products/${id}`}>
        {name}
      </Link>
    );
  if (kind === 'order')
    return (
      <Link className={t.link} to={`/analytics/orders/${id}?version=${version}`}>
        {name}
      </Link>
    );
  if (kind === 'basket')
    return (
      <Link className={t.link} to={`/analytics/baskets/${id}?version=${version}`}>
        {name}
      </Link>
    );
  return seesLog ? (
    <Link className={t.link} to={`/ops/log${search({ stream })}`}>
      {name}
    </Link>
  ) : (
    name
  );
}

const effectColumns = (own: string, nameOf: NameOf | undefined): Column<Effect>[] => [
  { key: 'event', title: trailTexts.event, cell: ({ type }) => <b>{type}</b> },
  {
    key: 'of',
    title: trailTexts.of,
    cell: (effect) => <Stream effect={effect} own={own} nameOf={nameOf} />,
  },
  {
    key: 'because',
    title: trailTexts.because,
    className: s.faint,
    cell: ({ caused }) => (caused ? trailTexts.thisEvent : trailTexts.sameRequest),
  },
  {
    key: 'position',
    title: trailTexts.effectPosition,
    number: true,
    cell: ({ position }) => count(position),
  },
];
