import { type FunctionComponent, type JSX, type ReactNode, useEffect, useState } from 'react';

type PropsOf<Part> = Part extends FunctionComponent<infer Props> ? Props : never;

/**
 * A component in a chunk that is fetched when it is first shown. Until it is there, `first` stands in its place, or
 * `until` where it is used. A chunk that does not come is an error of the component.
 *
 * It is no lazy component within Suspense: once React has shown a fallback, it holds back for 300 ms what comes in its
 * place, and all else that is drawn meanwhile, also where the chunk is there at once and nothing was the fallback.
 */
export function onDemand<Part extends FunctionComponent<never>>(
  load: () => Promise<{ default: Part }>,
  first: ReactNode = null,
) {
  type Props = PropsOf<Part>;
  let loaded: FunctionComponent<Props> | undefined;
  // biome-ignore lint/correctness/noComponentHookFactories: it is made once, where a module begins, as React.lazy is
  return function OnDemand({ until = first, ...props }: Props & { until?: ReactNode }) {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ error: unknown }>();
    useEffect(() => {
      if (loaded) return setPart(() => loaded);
      let shown = true;
      load().then(
        ({ default: part }) => {
          loaded = part as unknown as FunctionComponent<Props>;
          if (shown) setPart(() => loaded);
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
    return Part ? <Part {...(props as unknown as Props & JSX.IntrinsicAttributes)} /> : until;
  };
}
