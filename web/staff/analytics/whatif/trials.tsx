import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { count, money } from '../../parts/format';
import { Mark, type Tone } from '../../parts/mark';
import { Head, Loaded, Loading, Moment, Nothing, Section } from '../../parts/parts';
import { queries } from '../api/queries';
import type { Replay, ReplayState, Rules } from '../api/types';
import { screenTexts, whatIfTexts } from '../texts/ru';
import { words } from '../trail/value';
import { RulesForm } from './form';

export const tones: Record<ReplayState, Tone> = {
  queued: 'rest',
  running: 'busy',
  done: 'good',
  cancelled: 'rest',
  failed: 'bad',
};

/** What a trial changes, in a line. */
function summary(rules: Partial<Rules>): string {
  const t = whatIfTexts;
  const said = Object.entries(rules).map(([name, value]) => {
    if (name === 'tiers')
      return t.tiers((rules.tiers ?? []).map(({ from, percent }) => t.tier(percent, money(from))).join(', '));
    if (name === 'delivery')
      return t.delivery(
        (rules.delivery ?? [])
          .map(({ city, price, free_from }) => t.city(city, money(price), money(free_from)))
          .join('; '),
      );
    if (name === 'minimum_sum') return t.minimum(money(Number(value)));
    return `${t.rules[name] ?? words(name)} ${value}`;
  });
  return said.join('. ') || t.asTheyWere;
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
      <Head title={screenTexts.whatIf} lead={whatIfTexts.lead} />
      <Loaded query={rules} what={whatIfTexts.what} loading={<Loading rows={4} height={72} />}>
        {({ steps }) => {
          const today = steps.at(-1)?.state?.Rules as Rules | undefined;
          if (!today || !ready) return <Loading rows={4} height={72} />;
          return (
            <>
              {before.error ? <Nothing title={whatIfTexts.noBegin}>{whatIfTexts.noBeginWhy}</Nothing> : null}
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
    <Section title={whatIfTexts.before}>
      <Loaded query={found} what={whatIfTexts.whatBefore} loading={<Loading rows={3} height={46} />}>
        {(replays) => (
          <Table
            caption={whatIfTexts.list}
            columns={columns()}
            rows={replays}
            rowKey={({ id }) => id}
            empty={<Nothing title={whatIfTexts.nothing}>{whatIfTexts.nothingWhy}</Nothing>}
          />
        )}
      </Loaded>
    </Section>
  );
}

const columns = (): Column<Replay>[] => [
  {
    key: 'tried',
    title: whatIfTexts.tried,
    head: true,
    cell: ({ id, rules }) => (
      <Link className={t.link} to={`/analytics/what-if/${encodeURIComponent(id)}`}>
        {summary(rules)}
      </Link>
    ),
  },
  {
    key: 'state',
    title: whatIfTexts.state,
    cell: ({ state }) => <Mark tone={tones[state]}>{whatIfTexts.states[state]}</Mark>,
  },
  { key: 'when', title: whatIfTexts.when, cell: ({ created_at }) => <Moment at={created_at} /> },
  { key: 'by', title: whatIfTexts.by, cell: ({ created_by }) => created_by },
  { key: 'position', title: whatIfTexts.upTo, number: true, cell: ({ position }) => count(position) },
];
