import { useQuery } from '@tanstack/react-query';
import { Link } from '../../src/design/link';
import { count, counted } from '../../staff/parts/format';
import { Head, Loaded, Nothing } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import s from './reports.module.css';
import { screenOf } from './screen';

export function Reports() {
  const found = useQuery(queries.reports());
  return (
    <>
      <Head
        title="Reports"
        lead="Every number tells the log position it was computed at, and can be computed again there."
      />
      <Loaded query={found} what="The reports">
        {(reports) =>
          reports.length === 0 ? (
            <Nothing title="No reports yet" />
          ) : (
            <ul className={s.list}>
              {reports.map(({ name, title, about, position, lag }) => (
                <li key={name}>
                  <h2 className={s.name}>
                    <Link className={t.link} to={screenOf(name)}>
                      {title}
                    </Link>
                  </h2>
                  <p>{about}</p>
                  <p className={s.at}>
                    As of position {count(position)}
                    {lag > 0 ? `, ${counted(lag, 'event')} behind` : ''}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
