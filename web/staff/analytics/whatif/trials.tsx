import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Link } from '../../src/design/link';
import { count, money } from '../../staff/parts/format';
import { Mark, type Tone } from '../../staff/parts/mark';
import { Head, Loaded, Loading, Moment, Nothing, Scroll, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import type { ReplayState, Rules } from '../api/types';
import { words } from '../trail/value';
import { RulesForm } from './form';

export const states: Record<ReplayState, { tone: Tone; word: string }> = {
  queued: { tone: 'rest', word: 'Queued' },
  running: { tone: 'busy', word: 'Running' },
  done: { tone: 'good', word: 'Done' },
  cancelled: { tone: 'rest', word: 'Cancelled' },
  failed: { tone: 'bad', word: 'Failed' },
};

/** What a trial changes, in a line. */
function summary(rules: Partial<Rules>): string {
  const said = Object.entries(rules).map(([name, value]) => {
    if (name === 'tiers')
      return `Tiers ${rules.tiers?.map(({ from, percent }) => `${percent} % from ${money(from)}`).join(', ') || 'none'}`;
    if (name === 'delivery')
      return `Delivery ${
        rules.delivery
          ?.map(({ city, price, free_from }) => `${city} ${money(price)}, free from ${money(free_from)}`)
          .join('; ') || 'nowhere'
      }`;
    if (name === 'minimum_sum') return `Minimum ${money(Number(value))}`;
    return `${words(name)} ${value}`;
  });
  return said.join('. ') || 'The rules as they were';
}

/** Other rules to try on all of history, beginning with today's, or with those tried before that the address names. */
export function Trials() {
  const [address] = useSearchParams();
  const from = address.get('from') ?? '';
  const rules = useQuery(queries.rules());
  const before = useQuery({ ...queries.replay(from), enabled: from !== '' });
  const ready = from === '' || before.data !== undefined || before.error !== null;
  return (
    <>
      <Head
        title="What if"
        lead="Other rules, tried on every order and basket of the past: what would have been sold, given away and lost."
      />
      <Loaded query={rules} what="The rules" loading={<Loading rows={4} height={72} />}>
        {({ steps }) => {
          const today = steps.at(-1)?.state?.Rules as Rules | undefined;
          if (!today || !ready) return <Loading rows={4} height={72} />;
          return (
            <>
              {before.error ? (
                <Nothing title="The trial to begin with is not there">
                  The form begins with today’s rules.
                </Nothing>
              ) : null}
              <RulesForm key={from} today={today} begin={{ ...today, ...before.data?.rules }} />
            </>
          );
        }}
      </Loaded>
      <Earlier />
    </>
  );
}

function Earlier() {
  const found = useQuery(queries.replays());
  return (
    <Section title="Tried before">
      <Loaded query={found} what="What was tried before" loading={<Loading rows={3} height={46} />}>
        {(replays) =>
          replays.length === 0 ? (
            <Nothing title="Nothing yet">What you try stays here, with a link to send.</Nothing>
          ) : (
            <Scroll label="Tried before, newest first">
              <table className={t.table}>
                <thead>
                  <tr>
                    <th scope="col">Tried</th>
                    <th scope="col">State</th>
                    <th scope="col">When</th>
                    <th scope="col">By</th>
                    <th scope="col" className={t.number}>
                      Up to position
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {replays.map(({ id, state, rules, created_at, created_by, position }) => (
                    <tr key={id}>
                      <th scope="row">
                        <Link className={t.link} to={`/analytics/what-if/${encodeURIComponent(id)}`}>
                          {summary(rules)}
                        </Link>
                      </th>
                      <td>
                        <Mark tone={states[state].tone}>{states[state].word}</Mark>
                      </td>
                      <td>
                        <Moment at={created_at} />
                      </td>
                      <td>{created_by}</td>
                      <td className={t.number}>{count(position)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </Loaded>
    </Section>
  );
}
