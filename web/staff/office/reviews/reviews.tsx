import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action, Head, Loaded, Loading, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Pages } from '../desk/pages';
import { type ReviewFilters, type ReviewState, reviewQueries } from './queries';
import { ReviewCard } from './review';
import { reviewTexts as w } from './texts/ru';

const states: ReviewState[] = ['pending', 'shown', 'hidden'];

/** The reviews and questions of customers, narrowed by what stands in the address. */
export function Reviews() {
  const { value, narrow, reset, offset, turn } = useFilters();
  const then = useThen();
  const state = states.find((one) => one === value('state'));
  const stars = Number(value('stars')) || undefined;
  const filters: ReviewFilters = {
    offset,
    ...(state ? { state } : {}),
    ...(stars && stars >= 1 && stars <= 5 ? { stars } : {}),
    ...(value('photo') ? { photo: true } : {}),
    ...(value('unanswered') ? { unanswered: true } : {}),
    ...(value('product') ? { product: value('product') } : {}),
  };
  const found = useQuery(reviewQueries.list(filters, useAt()));
  const box = (name: string, label: string) => (
    <label className={d.check}>
      <input
        type="checkbox"
        checked={value(name) !== ''}
        onChange={({ target }) => narrow(name, target.checked ? 'yes' : '')}
      />
      {label}
    </label>
  );
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Link className={t.link} to={then('/admin/reviews/templates')}>
          {w.templates}
        </Link>
      </Head>
      <AsOf />
      <search className={d.filters}>
        <label className={f.field}>
          {w.state}
          <select value={state ?? ''} onChange={({ target }) => narrow('state', target.value)}>
            <option value="">{w.any}</option>
            {states.map((one) => (
              <option key={one} value={one}>
                {w.states[one]}
              </option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          {w.rating}
          <select value={stars ?? ''} onChange={({ target }) => narrow('stars', target.value)}>
            <option value="">{w.any}</option>
            {[1, 2, 3, 4, 5].map((one) => (
              <option key={one} value={one}>
                {w.stars(one)}
              </option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          {w.product}
          <input
            key={value('product')}
            type="search"
            maxLength={200}
            defaultValue={value('product')}
            onBlur={({ target }) =>
              target.value !== value('product') && narrow('product', target.value.trim())
            }
            onKeyDown={({ key, currentTarget }) =>
              key === 'Enter' && narrow('product', currentTarget.value.trim())
            }
          />
        </label>
        {box('photo', w.withPhoto)}
        {box('unanswered', w.unanswered)}
        <Action onClick={reset}>{w.reset}</Action>
      </search>
      <Loaded query={found} what={w.what} loading={<Loading rows={5} height={140} />}>
        {({ count: all, results }) => (
          <>
            <p className={d.count} role="status">
              {w.found(count(all))}
            </p>
            {results.length === 0 ? <Nothing title={w.none}>{w.noneWhy}</Nothing> : null}
            <ul className={d.list} aria-label={w.title}>
              {results.map((review) => (
                <li key={review.id}>
                  <ReviewCard review={review} />
                </li>
              ))}
            </ul>
            <Pages label={w.title} offset={offset} shown={results.length} all={all} turn={turn} />
          </>
        )}
      </Loaded>
    </>
  );
}
