import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { words } from '../../api/client';
import { Section } from '../../parts/parts';
import { safe } from '../content/safe';
import d from '../desk/desk.module.css';
import { type Wanted, wordingQueries } from './queries';
import { wordingTexts as w } from './texts/ru';
import s from './wording.module.css';

/** Milliseconds without a key after which the sample is asked for. */
const calm = 300;

/** A letter as the server writes it in the words that are typed. While they are not ready, the last one stays. */
export function Sample({ wanted, ready }: { wanted: Wanted; ready: boolean }) {
  const now = JSON.stringify(wanted);
  const [still, setStill] = useState(now);
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => setStill(now), calm);
    return () => clearTimeout(timer);
  }, [now, ready]);
  const shown = useQuery(wordingQueries.sample(JSON.parse(still)));
  return (
    <Section title={w.sample}>
      <div className={s.sample} lang={wanted.language}>
        <p className={d.quiet}>{ready ? w.sampleHint : w.notYet}</p>
        <p role="alert" className={d.failed}>
          {shown.error ? words(shown.error) : ''}
        </p>
        {shown.data ? (
          <>
            <p>
              <strong>{w.subject}:</strong> {shown.data.subject}
            </p>
            <Sheet html={shown.data.html} />
            <details>
              <summary>{w.plain}</summary>
              <pre>{shown.data.text}</pre>
            </details>
          </>
        ) : null}
      </div>
    </Section>
  );
}

/** A letter in a frame where no script runs. The frame opens an empty page that allows a letter's own styles; the page of the office forbids them. */
function Sheet({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  // Until that page is loaded, the frame forbids them as well.
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (loaded && page) page.documentElement.innerHTML = safe(html);
  }, [html, loaded]);
  return (
    <iframe
      ref={frame}
      className={s.sheet}
      title={w.sample}
      sandbox="allow-same-origin"
      src="/api/staff/letters/texts/sheet/"
      onLoad={() => setLoaded(true)}
    />
  );
}
