import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import { Fact, Facts, Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { type Asking, queries } from '../api/queries';
import type { Report } from '../api/types';
import { Steps } from '../funnel/steps';
import { say } from '../reports/cells';
import { Chart } from '../reports/chart';
import { ComputedAt, screenOf } from '../reports/place';
import { worded } from '../reports/worded';
import { overviewTexts, reportTexts, screenTexts } from '../texts/ru';
import s from './overview.module.css';

const spans: { days: keyof typeof overviewTexts.spans; by: string }[] = [
  { days: '30', by: 'day' },
  { days: '90', by: 'week' },
  { days: '365', by: 'month' },
  { days: '', by: 'month' },
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
      <Head title={screenTexts.overview} lead={overviewTexts.lead}>
        <nav aria-label={overviewTexts.time} className={s.spans}>
          {spans.map(({ days: one }) => (
            <Link key={one} to={`?days=${one}`} aria-current={one === days ? 'true' : undefined}>
              {overviewTexts.spans[one]}
            </Link>
          ))}
        </nav>
      </Head>
      <Part name="sales" title={overviewTexts.sales} asking={{ ...asking, by }}>
        {(report) => (
          <>
            <Totals report={report} />
            <Chart report={report} />
          </>
        )}
      </Part>
      <div className={s.two}>
        <Part name="funnel" title={screenTexts.funnel} asking={asking}>
          {(report) => (report.steps ? <Steps steps={report.steps} short /> : null)}
        </Part>
        <Part name="categories" title={overviewTexts.categories} asking={asking}>
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
        <Link className={t.link} to={screenOf(name, asking)} aria-label={overviewTexts.wholeOf(title)}>
          {overviewTexts.whole}
        </Link>
      }
    >
      <Loaded query={found} what={title} loading={<Loading rows={1} height={260} />}>
        {(report) => (
          <>
            {report.rows.length === 0 && !report.steps?.length ? (
              <Nothing title={reportTexts.nothing} />
            ) : (
              children(worded(report))
            )}
            <ComputedAt report={report} />
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
