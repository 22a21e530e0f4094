import type { Brand } from '../../api/types';
import { Link } from '../../design/link';
import s from './brand-grid.module.css';

/** Brands by logo, or by name where there is no logo. */
export function BrandGrid({ brands }: { brands: Brand[] }) {
  return (
    <ul className={s.brands}>
      {brands.map((brand) => (
        <li key={brand.id}>
          <Link to={`/brands/${brand.link}`}>
            {brand.image ? (
              <img
                src={brand.image}
                alt={brand.name}
                width="160"
                height="64"
                loading="lazy"
                decoding="async"
              />
            ) : (
              brand.name
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}
