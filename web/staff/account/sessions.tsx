import { useQuery } from '@tanstack/react-query';
import { words } from '../api/client';
import e from '../parts/entries.module.css';
import { Mark } from '../parts/mark';
import { Action, Loaded, Moment, Section } from '../parts/parts';
import { ownTexts } from '../texts/ru';
import s from './account.module.css';
import { ownQueries, useEndSession } from './own-queries';

/** Where the account is signed in. Each session but this one can be ended. */
export function Sessions() {
  const sessions = useQuery(ownQueries.sessions());
  const end = useEndSession();
  return (
    <Section
      title={ownTexts.sessions}
      aside={
        sessions.data && sessions.data.length > 1 ? (
          <Action disabled={end.isPending} onClick={() => end.mutate(undefined)}>
            {ownTexts.endOthers}
          </Action>
        ) : null
      }
    >
      <Loaded query={sessions} what={ownTexts.sessions}>
        {(all) => (
          <ul className={e.entries}>
            {all.map((one) => (
              <li key={one.id}>
                <div>
                  <p>
                    <b>{one.device || ownTexts.unknown}</b>{' '}
                    {one.current ? <Mark tone="good">{ownTexts.here}</Mark> : null}
                  </p>
                  <p className={s.place}>
                    {ownTexts.seen} <Moment at={one.seen_at} />
                    {one.network ? `, ${ownTexts.network(one.network)}` : ''}
                  </p>
                </div>
                {one.current ? null : (
                  <Action
                    kind="danger"
                    aria-label={ownTexts.endOf(one.device || ownTexts.unknown)}
                    disabled={end.isPending}
                    onClick={() => end.mutate(one.id)}
                  >
                    {ownTexts.end}
                  </Action>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <p role="alert" className={s.error}>
        {end.error ? words(end.error) : ''}
      </p>
    </Section>
  );
}
