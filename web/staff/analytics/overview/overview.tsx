import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Link } from '../../src/design/link';
import { Fact, Facts, Head, Loaded, Loading, Nothing, Section } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { type Asking, queries } from '../api/queries';
import type { Report } from '../api/types';
import { Steps } from '../funnel/steps';
import { say } from '../reports/cells';
import { Chart } from '../reports/chart';
import { At, screenOf } from '../reports/screen';
import s from './overview.module.css';

const spans: { days: string; name: string; by: string }[] = [
  { days: '30', name: '30 days', by: 'day' },
  { days: '90', name: '90 days', by: 'week' },
  { days: '365', name: 'A year', by: 'month' },
  { days: '', name: 'All', by: 'month' },
];

/** The first day of so many, today counted, in Almaty; '' of all. */
function since(days: string): string {
  if (days === '') return '';
  const almaty = Date.now() + 5 * 3_600_000;
  return new Date(almaty - (Number(days) - 1) * 86_400_000).toISOString().slice(0, 10);
}

/** How the shop does, in three reports; each leads to the whole of it. */
export function Overview() {
  const [address] = useSearchParams();
  const span = spans.find(({ days }) => days === (address.get('days') ?? '365'));
  const { days, by } = span ?? { days: '365', by: 'month' };
  const asking = { from: since(days) };
  return (
    <>
      <Head title="Overview" lead="Every number is a fold of the log up to the position beside it.">
        <nav aria-label="Time" className={s.spans}>
          {spans.map(({ days: one, name }) => (
            <Link key={name} to={`?days=${one}`} aria-current={one === days ? 'true' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
      </Head>
      <Part name="sales" title="Sales" asking={{ ...asking, by }}>
        {(report) => (
          <>
            <Totals report={report} />
            <Chart report={report} />
          </>
        )}
      </Part>
      <div className={s.two}>
        <Part name="funnel" title="Funnel" asking={asking}>
          {(report) => (report.steps ? <Steps steps={report.steps} short /> : null)}
        </Part>
        <Part name="categories" title="Categories" asking={asking}>
          {(report) => <Chart report={{ ...report, rows: report.rows.filter(({ parent }) => !parent) }} />}
        </Part>
      </div>
    </>
  );
}

function Part({
  name,
  title,
  asking,
  children,
}: {
  name: string;
  title: string;
  asking: Asking;
  children: (report: Report) => ReactNode;
}) {
  const found = useQuery(queries.report(name, asking));
  return (
    <Section
      title={title}
      aside={
        <Link className={t.link} to={screenOf(name, asking)} aria-label={`${title}: the whole report`}>
          The whole report
        </Link>
      }
    >
      <Loaded query={found} what={title} loading={<Loading rows={1} height={260} />}>
        {(report) => (
          <>
            {report.rows.length === 0 && !report.steps?.length ? (
              <Nothing title="Nothing in this time" />
            ) : (
              children(report)
            )}
            <At report={report} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Of the sums of all rows those that say most, in this order. */
const told = ['revenue', 'orders', 'average', 'discounts', 'lost'];

function Totals({ report: { columns, total } }: { report: Report }) {
  if (!total) return null;
  return (
    <div className={s.totals}>
      <Facts>
        {told
          .flatMap((key) => columns.find((column) => column.key === key) ?? [])
          .map(({ key, title, kind }) => (
            <Fact key={key} label={title}>
              {say(kind, total[key])}
            </Fact>
          ))}
      </Facts>
    </div>
  );
}
