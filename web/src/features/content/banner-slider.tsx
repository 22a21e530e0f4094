import { useEffect, useRef, useState } from 'react';
import type { Slide } from '../../api/types';
import { IconButton } from '../../design/button';
import { Link } from '../../design/link';
import { useMedia } from '../../design/use-media';
import { sliderTexts } from '../../texts/content';
import s from './banner-slider.module.css';

const t = sliderTexts;

/** How long a slide stays before the next one comes. */
const delay = 3000;

/**
 * Banners one beside another, turned by touch, by keyboard or by themselves, round and round. They stand still while
 * a pointer or the focus is on them, when the shopper stops them, and for those who asked for less motion.
 */
export function BannerSlider({ slides }: { slides: Slide[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const [stopped, setStopped] = useState(false);
  const [held, setHeld] = useState(false);
  const calm = useMedia('(prefers-reduced-motion: reduce)');
  const several = slides.length > 1;
  const moving = several && !stopped && !held && !calm;
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => {
      const row = list.current;
      if (!row || document.hidden) return;
      const next = (Math.round(row.scrollLeft / row.clientWidth) + 1) % row.childElementCount;
      row.scrollTo({ left: next * row.clientWidth, behavior: 'smooth' });
    }, delay);
    return () => clearInterval(timer);
  }, [moving]);
  return (
    <section
      className={s.slider}
      aria-label={t.label}
      onPointerEnter={(event) => setHeld(event.pointerType === 'mouse')}
      onPointerLeave={() => setHeld(false)}
      onFocus={({ target }) => setHeld(target.matches(':focus-visible'))}
      onBlur={() => setHeld(false)}
    >
      <ul
        className={s.row}
        ref={list}
        onScroll={({ currentTarget: row }) => setCurrent(Math.round(row.scrollLeft / row.clientWidth))}
      >
        {slides.map((slide, at) => {
          const picture = <img src={slide.file} alt={slide.alt} loading={at > 0 ? 'lazy' : undefined} />;
          return (
            <li key={slide.file} className={s.slide}>
              {slide.url ? (
                <Link to={slide.url} aria-label={slide.alt ? undefined : t.slide(at + 1)}>
                  {picture}
                </Link>
              ) : (
                picture
              )}
            </li>
          );
        })}
      </ul>
      {several ? (
        <div className={s.bar}>
          <span className={s.dots} aria-hidden="true">
            {slides.map((slide, at) => (
              <i key={slide.file} data-current={at === current ? '' : undefined} />
            ))}
          </span>
          {calm ? null : (
            <IconButton
              icon={stopped ? 'play' : 'pause'}
              size={20}
              className={s.pause}
              label={stopped ? t.play : t.pause}
              onClick={() => setStopped(!stopped)}
            />
          )}
        </div>
      ) : null}
    </section>
  );
}
