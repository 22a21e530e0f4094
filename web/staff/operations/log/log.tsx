import { zodResolver } from '@hookform/resolvers/zod';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Icon } from '../../../kit/design/icon';
import { useSearchParams } from '../../../kit/router/router';
import f from '../../parts/field.module.css';
import q from '../../parts/filters.module.css';
import { count } from '../../parts/format';
import { Action, Head, Json, Loaded, Loading, MaskedNote, Moment, Nothing } from '../../parts/parts';
import { StepUpNote } from '../../parts/step-up-note';
import { countTexts } from '../../texts/ru';
import { type LogFilters, queries } from '../api/queries';
import type { LogEvent } from '../api/types';
import { useLive } from '../live';
import { logTexts } from '../texts/ru';
import { EventFacts } from './event';
import { most, useGrowing, useHold } from './growing';
import s from './log.module.css';

const names = ['stream', 'type', 'actor', 'trace'] as const;

const typed = z.string().check(z.trim());
const schema = z.object({ stream: typed, type: typed, actor: typed, trace: typed });

/** What each filter is called, and an example of it. */
const fields = (): Record<(typeof names)[number], { label: string; example: string }> => ({
  stream: { label: logTexts.stream, example: logTexts.streamHint },
  type: { label: logTexts.type, example: 'order.placed, order.paid' },
  actor: { label: logTexts.actor, example: logTexts.actorHint },
  trace: { label: logTexts.trace, example: 'id' },
});

/** The log as it grows. What it is narrowed to stands in the address. */
export function Log() {
  const [address, setAddress] = useSearchParams();
  const key = address.toString();
  const filters = useMemo<LogFilters>(() => {
    const of = new URLSearchParams(key);
    return {
      stream: of.get('stream') ?? '',
      type: of.get('type') ?? '',
      actor: of.get('actor') ?? '',
      trace: of.get('trace') ?? '',
    };
  }, [key]);
  const narrowed = names.some((name) => filters[name] !== '');
  const form = useForm({ resolver: zodResolver(schema), values: filters });
  const submit = form.handleSubmit((given) =>
    setAddress(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))),
  );
  return (
    <>
      <Head title={logTexts.title} lead={logTexts.lead} />
      <form className={q.filters} onSubmit={submit} aria-label={logTexts.filterLabel} noValidate>
        {names.map((name) => (
          <label key={name} className={f.field}>
            {fields()[name].label}
            <input
              {...form.register(name)}
              placeholder={fields()[name].example}
              autoCapitalize="off"
              autoComplete="off"
              spellCheck={false}
            />
          </label>
        ))}
        <div className={q.apply}>
          <Action type="submit" kind="strong">
            {logTexts.filter}
          </Action>
          {narrowed ? <Action onClick={() => setAddress({})}>{logTexts.showAll}</Action> : null}
        </div>
      </form>
      <Stream key={`events ${key}`} filters={filters} narrowed={narrowed} />
    </>
  );
}

function Stream({ filters, narrowed }: { filters: LogFilters; narrowed: boolean }) {
  const found = useInfiniteQuery(queries.log(filters));
  const { news, again } = useGrowing(filters, found.data?.pages[0]);
  const newest = news[0]?.position ?? found.data?.pages[0]?.events[0]?.position ?? 0;
  const { held, hold, release } = useHold(newest);

  useEffect(() => {
    if (held === undefined && news.length >= most) again();
  }, [held, news.length, again]);

  const fresh = held === undefined ? news : news.filter(({ position }) => position <= held);
  const older = found.data?.pages.flatMap(({ events }) => events) ?? [];
  const none = fresh.length + older.length === 0 && !found.hasNextPage;
  return (
    <Loaded
      query={{ ...found, data: found.data }}
      what={logTexts.what}
      loading={<Loading rows={10} height={46} />}
    >
      {() => (
        <>
          <Tools
            held={held !== undefined}
            hold={hold}
            release={release}
            waiting={news.length - fresh.length}
          />
          {found.data?.pages[0]?.step_up ? <StepUpNote shown={again} /> : null}
          {none ? (
            <Nothing title={narrowed ? logTexts.noneSuch : logTexts.empty}>
              {narrowed ? logTexts.noneSuchWhy : logTexts.emptyWhy}
            </Nothing>
          ) : (
            <ol className={s.list} aria-label={logTexts.events}>
              {[...fresh, ...older].map((event) => (
                <Entry key={event.position} event={event} opened={hold} />
              ))}
            </ol>
          )}
          {found.hasNextPage ? (
            <p className={s.more}>
              <Action onClick={() => found.fetchNextPage()} aria-disabled={found.isFetchingNextPage}>
                {found.isFetchingNextPage ? logTexts.loading : logTexts.older}
              </Action>
            </p>
          ) : null}
        </>
      )}
    </Loaded>
  );
}

/** Pauses and resumes the list; a button shows the events that wait. */
function Tools({
  held,
  hold,
  release,
  waiting,
}: {
  held: boolean;
  hold: () => void;
  release: () => void;
  waiting: number;
}) {
  const { state } = useLive();
  const pace = state === 'live' ? logTexts.atOnce : logTexts.everyThree;
  return (
    <>
      <div className={s.tools}>
        <Action kind="plain" onClick={held ? release : hold}>
          <Icon name={held ? 'play' : 'pause'} size={16} />
          {held ? logTexts.goOn : logTexts.pause}
        </Action>
        <p className={s.said} role="status">
          {held ? logTexts.held : pace}
        </p>
      </div>
      {waiting > 0 ? (
        <button type="button" className={s.pill} onClick={release}>
          {waiting >= most ? logTexts.manyNew(count(most)) : countTexts.newEvents(waiting)}
        </button>
      ) : null}
    </>
  );
}

function Entry({ event, opened }: { event: LogEvent; opened: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <li className={s.entry}>
      <details
        onToggle={({ currentTarget }) => {
          setOpen(currentTarget.open);
          if (currentTarget.open) opened();
        }}
      >
        <summary className={s.summary}>
          <span className={s.position}>{count(event.position)}</span>
          <b className={s.type}>{event.type}</b>
          <span className={s.stream}>{event.stream}</span>
          <span className={s.actor}>{event.actor}</span>
          <span className={s.time}>
            <Moment at={event.recorded_at} />
          </span>
        </summary>
        {open ? (
          <div className={s.body}>
            <EventFacts event={event} />
            <Json value={event.data} />
            <MaskedNote value={event.data} />
          </div>
        ) : null}
      </details>
    </li>
  );
}
