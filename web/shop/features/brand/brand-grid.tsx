import { Link } from '../../../kit/design/link';
import type { Brand } from '../../api/types';
import { Rail } from '../../design/rail';
import { Skeleton } from '../../design/state';
import s from './brand-grid.module.css';

/** Every brand; the places of some while they load. */
export function BrandGrid({ brands }: { brands: Brand[] | undefined }) {
  return (
    <ul className={s.brands}>
      {brands
        ? brands.map((brand) => (
            <li key={brand.id}>
              <BrandLink brand={brand} />
            </li>
          ))
        : places(16)}
    </ul>
  );
}

/** Brands in a row that turns; the places of some while they load. */
export function BrandRail({ brands, label }: { brands: Brand[] | undefined; label: string }) {
  return (
    <Rail kind="brands" label={label}>
      {brands
        ? brands.map((brand) => (
            <li key={brand.id} className={s.tile}>
              <BrandLink brand={brand} />
            </li>
          ))
        : places(6)}
    </Rail>
  );
}

/** A brand by its logo, or by its name where there is none. */
function BrandLink({ brand }: { brand: Brand }) {
  return (
    <Link className={s.brand} to={`/brands/${brand.link}`}>
      {brand.image ? (
        <img src={brand.image} alt={brand.name} width="160" height="64" loading="lazy" decoding="async" />
      ) : (
        <span className={s.name}>{brand.name}</span>
      )}
    </Link>
  );
}

const places = (count: number) =>
  Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: places have no identity beside their position
    <li key={at} className={s.place}>
      <Skeleton width={70} />
    </li>
  ));
