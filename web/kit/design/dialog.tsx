import { type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes';
import s from './dialog.module.css';

/**
 * A modal dialog on the native element: the browser traps focus, closes on Escape and gives focus back. A click
 * beside it, or on what is marked data-close, closes it too: at once, before its owner draws anything again. The page behind is
 * locked by a rule in base.css. The focus goes to what is marked data-first, or to the first that can have it.
 */
export function Dialog({
  open,
  onClose,
  label,
  labelledBy,
  describedBy,
  place = 'box',
  children,
}: {
  open: boolean;
  onClose: () => void;
  label?: string;
  labelledBy?: string;
  describedBy?: string;
  /** box: in the middle; wide: the same with room for a form; left: a drawer; top: a panel under the upper edge. */
  place?: 'box' | 'wide' | 'left' | 'top';
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) {
      // The locked page has no scrollbar; its width is kept free, so that nothing jumps.
      // All elements inherit the property, so it is set where there is a scrollbar to speak of.
      const page = document.documentElement;
      const width = innerWidth - page.clientWidth;
      if (width > 0) page.style.setProperty('--scrollbar', `${width}px`);
      else page.style.removeProperty('--scrollbar');
      dialog?.showModal();
      dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    }
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  return (
    // The keyboard closes it with Escape, so the pointer-only backdrop needs no key handler.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <dialog
      ref={ref}
      className={classes(s.dialog, s[place])}
      aria-label={label}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      // React tells a dialog of the end of those within it, too.
      onClose={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
      onClick={({ target, currentTarget }) => {
        const at = target as Element;
        // A click in a dialog that was opened from this one comes here too.
        if (at.closest('dialog') !== currentTarget) return;
        if (at === currentTarget || at.closest('[data-close]')) currentTarget.close();
      }}
    >
      <div className={s.inner}>{children}</div>
    </dialog>
  );
}
