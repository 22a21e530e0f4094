import { useEffect, useId, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Link } from '../../src/design/link';
import { search } from '../../staff/api/client';
import { useMay } from '../../staff/me';
import { count, counted, exact, moment } from '../../staff/parts/format';
import { Action, Fact, Facts, Json, Moment, Scroll } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import type { Effect, Step } from '../api/types';
import { AsItWas, momentOf } from '../moment';
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
  const [address, setAddress] = useSearchParams();
  const id = useId();
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
  const step = steps[at - 1];
  if (!step) return null;
  const go = (version: number) => {
    setAt(version);
    ahead.current = version === named ? undefined : version;
    setAddress({ version: String(version) }, { replace: true });
  };
  return (
    <div className={s.events}>
      <div className={s.along}>
        <label htmlFor={id} className={s.where}>
          After event <b>{at}</b> of {last}
        </label>
        <input
          id={id}
          className={s.slider}
          type="range"
          min={1}
          max={last}
          value={at}
          aria-valuetext={`${at} of ${last}: ${step.type}, ${moment(step.recorded_at)}`}
          onChange={({ target }) => go(Number(target.value))}
        />
        <div className={s.buttons}>
          <Action onClick={() => go(at - 1)} disabled={at === 1}>
            Earlier
          </Action>
          <Action onClick={() => go(at + 1)} disabled={at === last}>
            Later
          </Action>
        </div>
      </div>
      <AsItWas at={then} show={(at) => setAddress(at ? { at } : {}, { replace: true })} />
      {at === named && (then || asked !== named) ? (
        <p role="status" className={s.said}>
          {answered(then, asked, steps)}
        </p>
      ) : null}
      <div className={s.columns}>
        <nav aria-label="Events, oldest first" className={s.ways}>
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

/** What becomes of a moment or a version of the address that is not just an event. */
function answered(then: string, asked: number, steps: Step[]): string {
  const began = steps[0]?.recorded_at ?? '';
  if (then === '') return `There is no event ${asked}. The events are 1 to ${steps.length}.`;
  if (Number.isNaN(momentOf(then))) return `${then} is no time. The last event is shown.`;
  const time = moment(new Date(momentOf(then)).toISOString());
  if (asked === 0) return `Nothing of it was there yet, ${time}: it begins ${moment(began)}.`;
  return `As it was ${time}, after ${counted(asked, 'event')}.`;
}

function One({ step, first, lead, leave, nameOf }: { step: Step; first: boolean } & Shown) {
  const seesLog = useMay('log.see');
  const trace = (of: string) =>
    seesLog && of ? (
      <a className={`${t.link} ${t.mono}`} href={`/ops/log${search({ trace: of })}`}>
        {of}
      </a>
    ) : (
      <code className={t.mono}>{of || '—'}</code>
    );
  return (
    <article className={s.one} aria-labelledby={`event-${step.position}`}>
      <h2 id={`event-${step.position}`} className={s.title}>
        {step.type}
      </h2>
      <Facts>
        <Fact label="Recorded">
          <time dateTime={step.recorded_at} title={exact(step.recorded_at)}>
            {moment(step.recorded_at)}
          </time>
        </Fact>
        <Fact label="By">{step.actor || '—'}</Fact>
        <Fact label="Log position">{count(step.position)}</Fact>
        <Fact label="Request">{trace(step.correlation)}</Fact>
      </Facts>
      {step.erased ? (
        <p className={s.said}>The person that this is about was erased: what was personal is gone.</p>
      ) : null}
      {step.error ? <p className={s.said}>This program cannot read it: {step.error}</p> : null}

      <h3 className={s.part}>What it changed</h3>
      {first ? (
        <p className={s.said}>It begins here: everything below is new.</p>
      ) : step.changes.length === 0 ? (
        <p className={s.said}>Nothing of what is shown.</p>
      ) : (
        <Changes changes={step.changes} label="Changes" />
      )}

      <h3 className={s.part}>As it was then</h3>
      {step.state ? (
        <State of={step.state} lead={lead} leave={leave} />
      ) : (
        <p className={s.said}>There was nothing yet.</p>
      )}

      <h3 className={s.part}>What came of it</h3>
      <Came step={step} nameOf={nameOf} />

      <details className={s.payload}>
        <summary>Payload</summary>
        <Json value={step.data} />
      </details>
    </article>
  );
}

function Came({ step, nameOf }: { step: Step; nameOf?: NameOf }) {
  return (
    <>
      {step.effects.length === 0 ? (
        <p className={s.said}>The request appended no other event.</p>
      ) : (
        <Scroll label="Effects">
          <table className={t.table}>
            <thead>
              <tr>
                <th scope="col">Event</th>
                <th scope="col">Of</th>
                <th scope="col">Because of</th>
                <th scope="col" className={t.number}>
                  Position
                </th>
              </tr>
            </thead>
            <tbody>
              {step.effects.map((effect) => (
                <tr key={effect.position}>
                  <td>
                    <b>{effect.type}</b>
                  </td>
                  <td>
                    <Stream effect={effect} own={step.stream} nameOf={nameOf} />
                  </td>
                  <td className={s.faint}>{effect.caused ? 'this event' : 'the same request'}</td>
                  <td className={t.number}>{count(effect.position)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <div className={s.facts}>
        <Facts>
          <Fact label={counted(step.letters.length, 'letter')}>
            {step.letters.map(told).join(', ') || 'none'}
          </Fact>
          <Fact label={counted(step.projections.length, 'read model')}>
            {step.projections.join(', ') || 'none fold it'}
          </Fact>
        </Facts>
      </div>
    </>
  );
}

/** A letter with what became of it. */
const told = ({ kind, state, sent_at }: Step['letters'][number]) =>
  `${kind} (${state}${sent_at ? ` ${moment(sent_at)}` : ''})`;

/** Where a stream's history is to be followed. */
function Stream({ effect, own, nameOf }: { effect: Effect; own: string; nameOf?: NameOf }) {
  const seesLog = useMay('log.see');
  const { stream, version } = effect;
  const [, kind, id] = stream.match(/^([a-z]+)-(.+)$/) ?? [];
  const name = nameOf?.(stream) ?? stream;
  if (stream === own)
    return (
      <Link className={t.link} to={`?version=${version}`}>
        the same, version {version}
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
    <a className={t.link} href={`/ops/log${search({ stream })}`}>
      {name}
    </a>
  ) : (
    name
  );
}
