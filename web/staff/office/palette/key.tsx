import { lazy, Suspense, useEffect, useState } from 'react';
import type { Way } from '../../frame';

const load = () => import('./palette');
const Palette = lazy(load);

/** Milliseconds after which the palette is loaded, so that what is typed right after Ctrl-K reaches it. */
const soon = 1_000;

/** Opens the palette on Ctrl-K, wherever the focus is. */
export function PaletteKey({ ways }: { ways: Way[] }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // By the place of the key, so that it works under every layout.
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.code !== 'KeyK')
        return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    const loading = setTimeout(load, soon);
    return () => {
      removeEventListener('keydown', press);
      clearTimeout(loading);
    };
  }, []);
  return open ? (
    <Suspense>
      <Palette ways={ways} close={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
