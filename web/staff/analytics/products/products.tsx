import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Link } from '../../src/design/link';
import { count, counted, money } from '../../staff/parts/format';
import { Head, Loaded, Nothing, Scroll } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import { Find } from '../parts';
import s from './products.module.css';

export function Products() {
  const [address, setAddress] = useSearchParams();
  const text = address.get('search') ?? '';
  const found = useQuery(queries.products(text));
  return (
    <>
      <Head title="Products" lead="Why there are so many pieces of a product, and what it cost when." />
      <Find
        label="Name or article"
        value={text}
        button="Find"
        find={(text) => setAddress({ search: text })}
      />
      <div className={s.results}>
        {text === '' ? null : (
          <Loaded query={found} what="The products">
            {({ count: all, results }) =>
              results.length === 0 ? (
                <Nothing title="Nothing fits">
                  Try an article such as DL-10026. A product that is not sold any more opens by its id.
                </Nothing>
              ) : (
                <Scroll label="Products found">
                  <p className={s.said} role="status">
                    {all > results.length
                      ? `The first ${results.length} of ${count(all)} products`
                      : counted(all, 'product')}
                  </p>
                  <table className={t.table}>
                    <thead>
                      <tr>
                        <th scope="col">Product</th>
                        <th scope="col">Article</th>
                        <th scope="col" className={t.number}>
                          Price
                        </th>
                        <th scope="col" className={t.number}>
                          Free
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {results.map(({ id, name, article, package_size, discounted_price, amount }) => (
                        <tr key={id}>
                          <th scope="row">
                            <Link className={t.link} to={`/analytics/products/${id}`}>
                              {name}
                            </Link>
                            <span className={t.sub}>{package_size}</span>
                          </th>
                          <td>{article}</td>
                          <td className={t.number}>{money(discounted_price)}</td>
                          <td className={t.number}>{count(amount)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </Scroll>
              )
            }
          </Loaded>
        )}
      </div>
    </>
  );
}
