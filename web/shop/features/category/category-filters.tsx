import { useEffect, useRef } from 'react';
import { Button } from '../../../kit/design/button';
import { Checkbox } from '../../../kit/design/checkbox';
import type { Brand } from '../../api/types';
import { Hidden } from '../../design/layout';
import { categoryTexts } from '../../texts/category';
import { maxBrands } from './category-address';
import s from './category-filters.module.css';

const t = categoryTexts;

export type Ordering = 'price' | '-price';

/** By brand and by price; the choice lives in the address. */
export function CategoryFilters({
  brands,
  chosen,
  ordering,
  shown,
  onBrands,
  onOrdering,
  onReset,
}: {
  brands: Brand[];
  /** Links of the chosen brands. */
  chosen: string[];
  ordering: Ordering | undefined;
  /** What the list shows, said aloud when it changes. */
  shown: string;
  onBrands: (links: string[]) => void;
  onOrdering: (ordering: Ordering | undefined) => void;
  onReset: () => void;
}) {
  const list = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const open = list.current;
      if (!open?.open) return;
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !open.contains(event.target as Node)) {
        open.open = false;
      }
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <fieldset className={s.bar} aria-label={t.filters}>
      <details className={s.brands} ref={list}>
        <summary>
          {t.brand}
          {chosen.length > 0 ? <span className={s.count}>{chosen.length}</span> : null}
        </summary>
        <div className={s.list}>
          {brands.map((brand) => (
            <Checkbox
              key={brand.id}
              label={brand.name}
              checked={chosen.includes(brand.link)}
              disabled={chosen.length >= maxBrands && !chosen.includes(brand.link)}
              onChange={(event) =>
                onBrands(
                  event.target.checked
                    ? [...chosen, brand.link]
                    : chosen.filter((link) => link !== brand.link),
                )
              }
            />
          ))}
        </div>
      </details>
      <label className={s.order}>
        <Hidden>{t.order}</Hidden>
        <select
          value={ordering ?? ''}
          onChange={(event) => onOrdering((event.target.value || undefined) as Ordering | undefined)}
        >
          <option value="">{t.orderDefault}</option>
          <option value="price">{t.orderUp}</option>
          <option value="-price">{t.orderDown}</option>
        </select>
      </label>
      {chosen.length > 0 || ordering ? (
        <Button kind="soft" onClick={onReset}>
          {t.reset}
        </Button>
      ) : null}
      <p className={s.shown} role="status">
        {shown}
      </p>
    </fieldset>
  );
}
