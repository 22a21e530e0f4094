import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component in a chunk that is fetched when it is first shown. Until it is there, what `until` says stands in its
 * place. A chunk that does not come is an error of the component.
 *
 * It is no lazy component within Suspense: once React has shown a fallback, it holds back for 300 ms what comes in its
 * place, and all else that is drawn meanwhile, also where the chunk is there at once and nothing was the fallback.
 */
export function onDemand<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  let loaded: ComponentType<P> | undefined;
  // biome-ignore lint/correctness/noComponentHookFactories: it is made once, where a module begins, as React.lazy is
  return function OnDemand({ until = null, ...props }: P & { until?: ReactNode }) {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ error: unknown }>();
    useEffect(() => {
      if (loaded) return setPart(() => loaded);
      let shown = true;
      load().then(
        ({ default: part }) => {
          loaded = part;
          if (shown) setPart(() => part);
        },
        (error: unknown) => {
          if (shown) setFailure({ error });
        },
      );
      return () => {
        shown = false;
      };
    }, []);
    if (failure) throw failure.error;
    return Part ? <Part {...(props as P)} /> : until;
  };
}
