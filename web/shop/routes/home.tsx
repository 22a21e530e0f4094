import { useQuery } from '@tanstack/react-query';
import { Icon, type IconName } from '../../kit/design/icon';
import { Link } from '../../kit/design/link';
import type { Category } from '../api/types';
import { Section, Wrap } from '../design/layout';
import layout from '../design/layout.module.css';
import { LoadError } from '../design/state';
import { Title } from '../design/title';
import { BrandRail } from '../features/brand/brand-grid';
import { brandQueries } from '../features/brand/brand-queries';
import { categoryQueries } from '../features/category/category-queries';
import { CategoryRail } from '../features/category/category-tiles';
import { pageQueries } from '../features/content/page-queries';
import { partsOf, teaserOf } from '../features/content/page-text';
import { shopName } from '../features/content/shop-name';
import { Html, TeaserLink } from '../features/content/teaser';
import { ProductRail } from '../features/product/product-list';
import { productQueries } from '../features/product/product-queries';
import { homeTexts } from '../texts/home';
import s from './home.module.css';
import { Hero } from './home-hero';

const t = homeTexts;

const icons: IconName[] = ['document', 'rabbit', 'leaf'];

const byPlace = (a: Category, b: Category) => a.popular_place - b.popular_place;

export default function Home() {
  const popular = useQuery(productQueries.popular());
  const categories = useQuery(categoryQueries.tree());
  const brands = useQuery(brandQueries.list());
  const fresh = useQuery(productQueries.fresh()).data?.results ?? [];
  return (
    <>
      <Title text={`${shopName()} — ${t.title}`} description={t.description} />
      <Hero />
      <Advantages />
      <Section
        id="popular"
        title={t.popular}
        more={<Link to="/categories">{t.allProducts}</Link>}
        spaced={false}
        products
      >
        {popular.isLoadingError ? (
          <LoadError retry={() => popular.refetch()} />
        ) : (
          <ProductRail products={popular.data?.results} label={t.popular} />
        )}
      </Section>
      <Section id="categories" title={t.categories} more={<Link to="/categories">{t.allCategories}</Link>}>
        {categories.isLoadingError ? (
          <LoadError retry={() => categories.refetch()} />
        ) : (
          <CategoryRail categories={categories.data?.toSorted(byPlace)} label={t.categories} />
        )}
      </Section>
      <Section id="brands" title={t.brands} more={<Link to="/brands">{t.allBrands}</Link>} spaced={false}>
        {brands.isLoadingError ? (
          <LoadError retry={() => brands.refetch()} />
        ) : (
          <BrandRail brands={brands.data} label={t.brands} />
        )}
      </Section>
      {fresh.length > 0 ? (
        <Section id="new" title={t.fresh} products>
          <ProductRail products={fresh} label={t.fresh} />
        </Section>
      ) : (
        <div className={layout.section} />
      )}
      <About />
    </>
  );
}

/** What the shop is, in a few words, and the way to its own page. */
function About() {
  const { teaser, lang } = teaserOf(useQuery(pageQueries.home()).data?.about);
  return (
    <section className={`${s.about} ${layout.section}`} aria-labelledby="about-title">
      <Wrap className={s.aboutText}>
        {teaser?.title ? (
          <Html as="h2" id="about-title" lang={lang} html={teaser.title} />
        ) : (
          <h2 id="about-title">{t.about}</h2>
        )}
        <div lang={lang}>
          {teaser?.text.map((html) => (
            <Html as="p" key={html} html={html} />
          ))}
          <TeaserLink kind="line" link={teaser?.link} />
        </div>
      </Wrap>
    </section>
  );
}

/** What staff say of the shop in a few points: the text before the first heading is the title, each heading begins a point. */
function Advantages() {
  const { parts, lang } = partsOf(useQuery(pageQueries.home()).data?.advantages);
  const points = parts.filter((html) => html.startsWith('<h2'));
  const before = parts[0]?.startsWith('<h2') ? undefined : parts[0]?.replace(/<[^>]*>/g, '');
  const title = before ? <Html as="span" lang={lang} html={before} /> : undefined;
  return (
    <Section id="advantages" title={title ?? t.advantages}>
      <ul className={s.advantages} lang={lang}>
        {points.map((html, at) => (
          <li key={html}>
            <Icon name={icons[at % icons.length] as IconName} size={28} />
            <Html as="div" html={html.replace('<h2', '<h3').replace('</h2', '</h3')} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
