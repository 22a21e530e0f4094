import { type ComponentProps, type ReactNode, useEffect, useId, useState } from 'react';
import { classes } from '../../kit/design/classes';
import { Dialog } from '../../kit/design/dialog';
import { Rich } from '../../kit/texts/rich';
import { words } from '../api/client';
import { useSection } from '../sections';
import { partsTexts } from '../texts/ru';
import { exact, moment } from './format';
import s from './parts.module.css';

/** A moment in the viewer's zone; its title says it exactly. */
export function Moment({ at, none = partsTexts.never }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span className={s.faint}>{none}</span>;
  return (
    <time dateTime={at} title={exact(at)} className={s.nowrap}>
      {moment(at)}
    </time>
  );
}

/** The small buttons of a dense page: strong for the one thing to do next, danger for what takes something away. */
export function Action({
  kind = 'soft',
  className,
  ...rest
}: { kind?: 'strong' | 'soft' | 'plain' | 'danger' } & ComponentProps<'button'>) {
  return <button type="button" className={classes(s.action, s[kind], className)} {...rest} />;
}

/** The title of a screen, what it is about, and what can be done. */
export function Head({ title, children, lead }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  const name = useSection().name();
  useEffect(() => {
    document.title = `${title} — ${name}`;
  }, [title, name]);
  return (
    <div className={s.head}>
      <div>
        <h1 className={s.title}>{title}</h1>
        {lead ? <div className={s.lead}>{lead}</div> : null}
      </div>
      {children ? <div className={s.actions}>{children}</div> : null}
    </div>
  );
}

export function Section({
  title,
  children,
  aside,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={s.section}>
      <div className={s.sectionHead}>
        <h2 id={id} className={s.sectionTitle}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Facts as label and value. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={s.facts}>{children}</dl>;
}

export function Fact({ label, children, wide }: { label: string; children: ReactNode; wide?: boolean }) {
  return (
    <div className={classes(s.fact, wide && s.wide)}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Something did not load; what was there before may still stand below. */
export function Failed({ error, retry, what }: { error: unknown; retry: () => void; what: string }) {
  return (
    <div className={s.failed} role="alert">
      <p>
        <b>{partsTexts.notLoaded(what)}</b> {words(error)}
      </p>
      <Action onClick={retry}>{partsTexts.tryAgain}</Action>
    </div>
  );
}

export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={s.nothing}>
      <p className={s.nothingTitle}>{title}</p>
      {children ? <p>{children}</p> : null}
    </div>
  );
}

/** Grey lines of the height of what is on its way. */
export function Loading({ rows = 6, height = 56 }: { rows?: number; height?: number }) {
  return (
    <div className={s.loading} role="status" aria-label={partsTexts.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <span key={row} className={s.bone} style={{ blockSize: height }} />
      ))}
    </div>
  );
}

/** A query's data drawn, or its loading or failure. Data that could not be renewed stay, under a word about it. */
export function Loaded<T>({
  query,
  what,
  loading,
  children,
}: {
  query: { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  what: string;
  loading?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const failed = query.error ? (
    <Failed error={query.error} retry={() => query.refetch()} what={what} />
  ) : null;
  if (query.data === undefined) return failed ?? loading ?? <Loading />;
  return (
    <>
      {failed}
      {children(query.data)}
    </>
  );
}

/** JSON, indented; masked values stand out and say why. */
export function Json({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const pieces = text.split(/("[^"\n]*•••[^"\n]*")/);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <pre className={s.json} tabIndex={0}>
      {pieces.map((piece, at) =>
        at % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one fixed text
          <mark key={at} className={s.masked} title={partsTexts.masked}>
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </pre>
  );
}

export const hasMasked = (value: unknown): boolean => JSON.stringify(value)?.includes('•••') ?? false;

/** Says under masked data why they are. */
export function MaskedNote({ value }: { value: unknown }) {
  return hasMasked(value) ? (
    <p className={s.note}>
      <span className={s.masked}>•••</span> {partsTexts.masked}
    </p>
  ) : null;
}

/** Says of an order that the test bank was asked for its money. */
export function TestPayment() {
  return (
    <p className={s.test}>
      <Rich text={partsTexts.testPayment} />
    </p>
  );
}

/** A progress bar with its text beside it. */
export function Progress({ value, label, text }: { value: number; label: string; text: string }) {
  const share = Math.min(1, Math.max(0, value));
  return (
    <div className={s.progress}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuetext={text}
        className={s.track}
      >
        <span className={s.bar} style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <span className={s.progressText} aria-hidden="true">
        {text}
      </span>
    </div>
  );
}

/** Asks before something is done, and stays with the answer when it is refused. */
export function Confirm({
  title,
  children,
  button,
  danger = false,
  act,
  close,
  disabled = false,
}: {
  title: string;
  /** Says exactly what will happen. */
  children: ReactNode;
  button: string;
  danger?: boolean;
  act: () => Promise<unknown>;
  close: () => void;
  disabled?: boolean;
}) {
  const id = useId();
  // Closed before it goes away: only then does the browser give the focus back.
  const [open, setOpen] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      setOpen(false);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={close} labelledBy={`${id}-title`} describedBy={`${id}-text`}>
      <form
        className={s.confirm}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !disabled) submit();
        }}
      >
        <h2 id={`${id}-title`} className={s.confirmTitle}>
          {title}
        </h2>
        <div id={`${id}-text`} className={s.confirmText}>
          {children}
        </div>
        <p role="alert" className={s.error}>
          {error ? words(error) : null}
        </p>
        <div className={s.confirmButtons}>
          <Action onClick={() => setOpen(false)}>{partsTexts.leaveIt}</Action>
          <Action type="submit" kind={danger ? 'danger' : 'strong'} disabled={disabled} aria-disabled={busy}>
            {busy ? partsTexts.working : button}
          </Action>
        </div>
      </form>
    </Dialog>
  );
}
