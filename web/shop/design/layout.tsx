import type { ReactNode } from 'react';
import { classes } from '../../kit/design/classes';
import s from './layout.module.css';

/** The width of the text column. */
export function Wrap({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes(s.wrap, className)}>{children}</div>;
}

/** The body of a page below the header: at least a screen high, so that loading moves no footer. */
export function Page({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes(s.page, className)}>{children}</div>;
}

/** A part of a page with its heading and, at its right, a way on. It is laid out when it comes near. */
export function Section({
  id,
  title,
  more,
  spaced = true,
  products = false,
  children,
}: {
  id: string;
  title: ReactNode;
  more?: ReactNode;
  /** Whether it keeps its distance above and below. */
  spaced?: boolean;
  /** Whether it is a row of products, which is higher than others. */
  products?: boolean;
  children: ReactNode;
}) {
  return (
    <section
      id={id}
      className={classes(s.part, products ? s.products : s.near, spaced && s.section)}
      aria-labelledby={`${id}-title`}
    >
      <Wrap>
        <Heading level={2} id={`${id}-title`} title={title} more={more} />
        {children}
      </Wrap>
    </section>
  );
}

export function Heading({
  level = 1,
  id,
  title,
  lang,
  more,
}: {
  level?: 1 | 2;
  id?: string;
  title: ReactNode;
  /** Of the title, where it is not the language of the page. */
  lang?: string;
  more?: ReactNode;
}) {
  const Tag = level === 1 ? 'h1' : 'h2';
  return (
    <div className={s.head}>
      <Tag id={id} lang={lang}>
        {title}
      </Tag>
      {more}
    </div>
  );
}

/** A grid of product cards, each laid out when it comes near. */
export function Cards({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <ul className={s.cards} aria-label={label}>
      {children}
    </ul>
  );
}

/** Text for screen readers only. */
export function Hidden({ children }: { children: ReactNode }) {
  return <span className={s.hidden}>{children}</span>;
}
