import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { useSession } from '../../api/session';
import type { SignIn } from '../../api/types';
import { formatDate, formatTime } from '../../design/format';
import { LoadError, Skeleton } from '../../design/state';
import { securityTexts } from '../../texts/account';
import { sentence } from '../form/refusal';
import s from './security.module.css';
import { sessionQueries, useEndSession } from './session-queries';

const t = securityTexts;

/** Where the account is signed in. Each sign-in but this one can be ended, and all of them together. */
export function Sessions() {
  const list = useQuery(sessionQueries.list(useSession()));
  const end = useEndSession();
  return (
    <section className={s.section} aria-labelledby="sessions">
      <h2 id="sessions">{t.sessions}</h2>
      <p>{t.sessionsText}</p>
      {list.isError ? <LoadError retry={() => list.refetch()} /> : null}
      {list.isPending ? <Skeleton kind="tile" /> : null}
      <ul className={s.list}>
        {list.data?.map((one) => (
          <li key={one.id}>
            <div>
              <p className={s.device}>
                {one.device || t.unknown} {one.current ? <span className={s.here}>{t.here}</span> : null}
              </p>
              <p className={s.place}>{placeOf(one)}</p>
            </div>
            {one.current ? null : (
              <Button
                kind="soft"
                aria-label={t.endOf(one.device || t.unknown)}
                disabled={end.isPending}
                onClick={() => end.mutate(one.id)}
              >
                {t.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {end.isError ? <FormError>{sentence(end.error)}</FormError> : null}
      {list.data && list.data.length > 1 ? (
        <Button kind="line" disabled={end.isPending} onClick={() => end.mutate(undefined)}>
          {t.endOthers}
        </Button>
      ) : null}
    </section>
  );
}

/** When and from which network it was used last. */
const placeOf = ({ seen_at, network }: SignIn) => {
  const seen = t.seen(formatDate(seen_at), formatTime(seen_at));
  return network ? `${seen}, ${t.network(network)}` : seen;
};
