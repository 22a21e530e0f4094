import { useEffect, useRef, useState } from 'react';
import { PublicLink } from '../../../kit/design/link';
import type { Language } from '../../api/language';
import type { Slide } from '../../api/types';
import { useTurning } from '../../design/turning';
import { bannersTexts } from '../../texts/content';
import s from './banner-slider.module.css';

const t = bannersTexts;

/** Milliseconds that a banner stays before the next one comes. */
const delay = 3000;
/** Milliseconds after which the next banner's picture is fetched: after the page, and before its turn. */
const ahead = 2000;
/** Milliseconds of one turn. */
const speed = 300;

/**
 * Banners one beside another, turned by touch, by keyboard or by themselves, round and round: behind the last one
 * stands a copy of the first, which the first itself replaces as soon as it is there.
 */
export function BannerSlider({ slides, lang }: { slides: Slide[]; lang: Language }) {
  const row = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const { holding, pause } = useTurning(row, t.label, delay, speed);
  const several = slides.length > 1;
  // Browsers fetch lazy pictures that stand beside the screen at once, so banners get theirs one by one.
  const [fetched, setFetched] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setFetched((last) => Math.max(last, current + 1)), ahead);
    return () => clearTimeout(timer);
  }, [current]);
  const scrolled = (to: HTMLElement) => {
    const at = to.scrollLeft / to.clientWidth;
    if (several && at > slides.length - 0.01) to.scrollLeft = 0;
    setFetched((last) => Math.max(last, Math.ceil(at)));
    setCurrent(Math.round(at) % slides.length);
  };
  return (
    <section className={s.slider} aria-label={t.label} {...holding}>
      <ul className={s.row} ref={row} onScroll={(event) => scrolled(event.currentTarget)}>
        {slides.map((slide, at) => (
          <li key={slide.file} className={s.slide}>
            {slide.url ? (
              <PublicLink to={slide.url} aria-label={slide.alt ? undefined : t.slide(at + 1)}>
                <Banner slide={slide} lang={lang} there={at <= fetched} />
              </PublicLink>
            ) : (
              <Banner slide={slide} lang={lang} there={at <= fetched} />
            )}
          </li>
        ))}
        {several && slides[0] ? (
          <li className={s.slide} aria-hidden="true">
            <Banner slide={{ ...slides[0], alt: '' }} lang={lang} there />
          </li>
        ) : null}
      </ul>
      {several ? (
        <div className={s.bar}>
          <span className={s.dots} aria-hidden="true">
            {slides.map((slide, at) => (
              <i key={slide.file} data-current={at === current ? '' : undefined} />
            ))}
          </span>
          {pause}
        </div>
      ) : null}
    </section>
  );
}

function Banner({ slide, lang, there }: { slide: Slide; lang: Language; there: boolean }) {
  return <img src={there ? slide.file : undefined} alt={slide.alt} lang={lang} />;
}
