import { useQuery } from '@tanstack/react-query';
import { classes } from '../../kit/design/classes';
import { spokenLanguage } from '../api/language';
import { Wrap } from '../design/layout';
import { Skeleton } from '../design/state';
import { useMedia } from '../design/use-media';
import { BannerSlider } from '../features/content/banner-slider';
import { contentQueries } from '../features/content/content-queries';
import { pageQueries } from '../features/content/page-queries';
import { teaserOf } from '../features/content/page-text';
import { Html, TeaserLink } from '../features/content/teaser';
import { homeTexts } from '../texts/home';
import narrow480 from './hero/narrow-480.avif';
import narrow480webp from './hero/narrow-480.webp';
import narrow800 from './hero/narrow-800.avif';
import narrow800webp from './hero/narrow-800.webp';
import wide1200 from './hero/wide-1200.avif';
import wide1200webp from './hero/wide-1200.webp';
import wide1600 from './hero/wide-1600.avif';
import wide1600webp from './hero/wide-1600.webp';
import s from './home.module.css';

const t = homeTexts;
const wideScreen = '(width >= 61.875em)';
const narrowScreen = '(width < 61.875em)';

/**
 * The first screen: what the shop is, and one way in. On narrow screens the banners that staff choose lie over the
 * picture, which is there before them and holds their place.
 */
export function Hero() {
  const narrow = useMedia(narrowScreen);
  const block = useQuery({ ...contentQueries.block('main-slider'), enabled: narrow }).data;
  const inKazakh = spokenLanguage() === 'kk' && !!block?.file_content_kk.length;
  const banners = (inKazakh ? block?.file_content_kk : block?.file_content) ?? [];
  const sliding = narrow && banners.length > 0;
  return (
    <section className={s.hero}>
      <Wrap className={s.wrap}>
        <Words />
      </Wrap>
      <div className={s.stage}>
        <picture className={s.picture}>
          <source
            media={wideScreen}
            type="image/avif"
            srcSet={`${wide1200} 1200w, ${wide1600} 1600w`}
            sizes="100vw"
            width="1600"
            height="725"
          />
          <source
            media={wideScreen}
            type="image/webp"
            srcSet={`${wide1200webp} 1200w, ${wide1600webp} 1600w`}
            sizes="100vw"
            width="1600"
            height="725"
          />
          <source type="image/avif" srcSet={`${narrow480} 480w, ${narrow800} 800w`} sizes="100vw" />
          <img
            src={narrow800webp}
            srcSet={`${narrow480webp} 480w, ${narrow800webp} 800w`}
            sizes="100vw"
            width="800"
            height="845"
            alt={sliding ? '' : t.heroAlt}
            fetchPriority="high"
          />
        </picture>
        {sliding ? (
          <div className={s.banners}>
            <BannerSlider slides={banners} lang={inKazakh ? 'kk' : 'ru'} />
          </div>
        ) : null}
      </div>
    </section>
  );
}

/** What staff write on the first screen. A page that has no text of theirs keeps a heading. */
function Words() {
  const texts = useQuery(pageQueries.home());
  const { teaser, lang } = teaserOf(texts.data?.hero);
  if (texts.isPending)
    return (
      <div className={classes(s.text, s.pending)}>
        <Skeleton width={70} />
        <Skeleton kind="title" />
        <Skeleton kind="title" />
        <Skeleton width={70} />
      </div>
    );
  return (
    <div className={s.text} lang={lang}>
      {teaser?.before ? <Html as="p" className={s.kicker} html={teaser.before} /> : null}
      {teaser?.title ? <Html as="h1" html={teaser.title} /> : <h1>{t.title}</h1>}
      {teaser?.text.map((html) => (
        <p key={html} className={s.lead} data-characters={html.length}>
          <Html as="span" className={s.typed} html={html} />
        </p>
      ))}
      <TeaserLink link={teaser?.link} />
    </div>
  );
}
