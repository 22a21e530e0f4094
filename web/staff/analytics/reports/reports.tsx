import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { count } from '../../parts/format';
import { Head, Loaded, Nothing } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import { reportTexts, screenTexts } from '../texts/ru';
import { screenOf } from './place';
import s from './reports.module.css';
import { wordedKind } from './worded';

export function Reports() {
  const found = useQuery(queries.reports());
  return (
    <>
      <Head title={screenTexts.reports} lead={reportTexts.lead} />
      <Loaded query={found} what={reportTexts.what}>
        {(reports) =>
          reports.length === 0 ? (
            <Nothing title={reportTexts.none} />
          ) : (
            <ul className={s.list}>
              {reports.map(wordedKind).map(({ name, title, about, position, lag }) => (
                <li key={name}>
                  <h2 className={s.name}>
                    <Link className={t.link} to={screenOf(name)}>
                      {title}
                    </Link>
                  </h2>
                  <p>{about}</p>
                  <p className={s.at}>
                    {reportTexts.asOf(count(position))}
                    {lag > 0 ? reportTexts.behind(countTexts.events(lag)) : ''}
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
