import { Link } from '../../../kit/design/link';
import type { Category } from '../../api/types';
import { Picture } from '../../design/picture';
import { Rail } from '../../design/rail';
import { saidIn } from '../../design/said-in';
import { Skeleton } from '../../design/state';
import { categoriesTexts } from '../../texts/categories';
import { categoryPath } from './category-queries';
import s from './category-tiles.module.css';

/** Categories as large tiles; the places of some while they load. */
export function CategoryTiles({ categories }: { categories: Category[] | undefined }) {
  return <ul className={s.tiles}>{tiles(categories, 6)}</ul>;
}

/** Categories in a row that turns; the places of some while they load. */
export function CategoryRail({ categories, label }: { categories: Category[] | undefined; label: string }) {
  return (
    <Rail kind="categories" label={label}>
      {tiles(categories, 4)}
    </Rail>
  );
}

const places = (count: number) => Array.from({ length: count }, (_, at) => at);

const tiles = (categories: Category[] | undefined, expected: number) =>
  categories
    ? categories.map((category) => (
        <li key={category.id} className={s.item}>
          <Link className={s.tile} to={categoryPath(category)} lang={saidIn(category, 'name')}>
            <Picture
              className={s.picture}
              picture={category.picture}
              src={category.image}
              kind={category.placeholder}
              alt=""
              sizes="(width >= 57.5em) 25vw, 70vw"
            />
            <span className={s.name}>{category.name}</span>
            <span className={s.about} lang={category.russian && saidIn(category, 'description')}>
              {category.description}
            </span>
          </Link>
        </li>
      ))
    : places(expected).map((at) => (
        <li key={at} className={s.item}>
          <span className={s.tile}>
            <Skeleton kind="fill" className={s.picture} />
          </span>
        </li>
      ));

/** The children of a category, one banner under another; the places of some while they load. */
export function CategoryBanners({ categories }: { categories: Category[] | undefined }) {
  if (!categories) {
    return (
      <ul className={s.banners}>
        {places(3).map((at) => (
          <li key={at} className={s.banner}>
            <Skeleton kind="fill" className={s.bannerPlace} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul className={s.banners}>
      {categories.map((category) => (
        <li key={category.id} className={s.banner}>
          <div className={s.bannerText}>
            <h2 lang={saidIn(category, 'name')}>{category.name}</h2>
            {category.description ? (
              <p lang={saidIn(category, 'description')}>{category.description}</p>
            ) : null}
            <Link to={categoryPath(category)} aria-label={`${categoriesTexts.view}: ${category.name}`}>
              {categoriesTexts.view}
            </Link>
          </div>
          <Picture
            className={s.bannerPicture}
            picture={category.picture}
            src={category.image}
            kind={category.placeholder}
            alt=""
            sizes="(width >= 57.5em) 24vw, 38vw"
          />
        </li>
      ))}
    </ul>
  );
}

/** The menu of top-level categories; its places while they load. */
export function CategoryMenu({
  categories,
  current,
}: {
  categories: Category[] | undefined;
  current?: string;
}) {
  return (
    <nav aria-label={categoriesTexts.menu}>
      <ul className={s.menu}>
        {categories ? null : places(8).map((at) => <li key={at} className={s.menuPlace} />)}
        {categories?.map((category) => (
          <li key={category.id}>
            <Link
              to={categoryPath(category)}
              lang={saidIn(category, 'name')}
              aria-current={category.link === current || category.id === current ? 'page' : undefined}
            >
              {category.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
