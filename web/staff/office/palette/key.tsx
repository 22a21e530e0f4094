import { useEffect, useState } from 'react';
import type { Way } from '../../frame';
import type Palette from './palette';

/** Milliseconds after which the palette is loaded without being asked for, so that what is typed right after Ctrl-K reaches it. */
const soon = 1_000;

/** Opens the palette on Ctrl-K, wherever the focus is. */
export function PaletteKey({ ways }: { ways: Way[] }) {
  const [loaded, setLoaded] = useState<{ Palette: typeof Palette }>();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    // Not by lazy, which opens it some frames after the key although it is there. What cannot be loaded is tried again at the next key.
    const load = () =>
      import('./palette').then(
        (module) => setLoaded({ Palette: module.default }),
        () => setOpen(false),
      );
    const press = (event: KeyboardEvent) => {
      // By the place of the key, so that it works under every layout.
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.code !== 'KeyK')
        return;
      event.preventDefault();
      setOpen(true);
      void load();
    };
    addEventListener('keydown', press);
    const loading = setTimeout(load, soon);
    return () => {
      removeEventListener('keydown', press);
      clearTimeout(loading);
    };
  }, []);
  return open && loaded ? <loaded.Palette ways={ways} close={() => setOpen(false)} /> : null;
}
