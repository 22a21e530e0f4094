import type { ReactNode } from 'react';
import { Button } from '../../kit/design/button';
import { classes } from '../../kit/design/classes';
import { Icon, type IconName } from '../../kit/design/icon';
import { failureTexts } from '../texts/design';
import s from './state.module.css';

/** A place held for content that is on its way, of the content's own size. */
export function Skeleton({
  kind = 'text',
  width,
  className,
}: {
  kind?: 'text' | 'title' | 'button' | 'tile' | 'fill';
  /** Percent of the line, for text. */
  width?: 40 | 70;
  className?: string;
}) {
  return <span className={classes(s.skeleton, s[kind], className)} data-width={width} aria-hidden="true" />;
}

/** Something did not load; the reader may try again. */
export function LoadError({ retry, title = failureTexts.title }: { retry: () => void; title?: string }) {
  return (
    <div className={s.failure} role="alert">
      <p>
        <b>{title}</b> {failureTexts.hint}
      </p>
      <Button kind="soft" onClick={retry}>
        {failureTexts.retry}
      </Button>
    </div>
  );
}

/** Nothing here, said kindly, perhaps under what is missing, with a way on. */
export function Empty({ icon, text, children }: { icon?: IconName; text: string; children?: ReactNode }) {
  return (
    <div className={s.empty}>
      {icon ? (
        <span className={s.mark}>
          <Icon name={icon} size={28} />
        </span>
      ) : null}
      <p className={s.emptyText}>{text}</p>
      {children}
    </div>
  );
}
