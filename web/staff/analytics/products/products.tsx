import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { count, money } from '../../parts/format';
import { Head, Loaded, Nothing } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import { queries } from '../api/queries';
import type { ProductPage } from '../api/types';
import { Find } from '../parts';
import { findTexts, productTexts, screenTexts } from '../texts/ru';
import s from './products.module.css';

export function Products() {
  const [address, setAddress] = useSearchParams();
  const text = address.get('search') ?? '';
  const found = useQuery(queries.products(text));
  return (
    <>
      <Head title={screenTexts.products} lead={productTexts.lead} />
      <Find
        label={productTexts.label}
        value={text}
        button={findTexts.find}
        find={(text) => setAddress({ search: text })}
      />
      <div className={s.results}>
        {text === '' ? null : (
          <Loaded query={found} what={productTexts.what}>
            {({ count: all, results }) =>
              results.length === 0 ? (
                <Nothing title={productTexts.nothing}>{productTexts.nothingWhy}</Nothing>
              ) : (
                <>
                  <p className={s.said} role="status">
                    {all > results.length
                      ? productTexts.firstOf(results.length, count(all))
                      : countTexts.products(all)}
                  </p>
                  <Table
                    caption={productTexts.found}
                    columns={columns()}
                    rows={results}
                    rowKey={({ id }) => id}
                  />
                </>
              )
            }
          </Loaded>
        )}
      </div>
    </>
  );
}

type Found = ProductPage['results'][number];

const columns = (): Column<Found>[] => [
  {
    key: 'product',
    title: productTexts.product,
    head: true,
    cell: ({ id, name, package_size }) => (
      <>
        <Link className={t.link} to={`/analytics/products/${id}`}>
          {name}
        </Link>
        <span className={t.sub}>{package_size}</span>
      </>
    ),
  },
  { key: 'article', title: productTexts.article, cell: ({ article }) => article },
  {
    key: 'price',
    title: productTexts.price,
    number: true,
    cell: ({ discounted_price }) => money(discounted_price),
  },
  { key: 'free', title: productTexts.free, number: true, cell: ({ amount }) => count(amount) },
];
