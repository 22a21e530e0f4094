import { lazy, Suspense, useEffect, useState } from 'react';
import type { Way } from '../../frame';

const Palette = lazy(() => import('./palette'));

/** Opens the palette on Ctrl-K, wherever the focus is; it is loaded then. */
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
    return () => removeEventListener('keydown', press);
  }, []);
  return open ? (
    <Suspense>
      <Palette ways={ways} close={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
