import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../kit/design/button';
import { spokenLanguage } from '../api/language';
import { Wrap } from '../design/layout';
import { useMedia } from '../design/use-media';
import { BannerSlider } from '../features/content/banner-slider';
import { contentQueries } from '../features/content/content-queries';
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
        <div className={s.text}>
          <p className={s.kicker}>{t.kicker}</p>
          <h1>{t.headline}</h1>
          <p className={s.lead}>
            <span className={s.typed}>{t.lead}</span>
          </p>
          <ButtonLink to="/categories">{t.toCatalog}</ButtonLink>
        </div>
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
