import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sawPosition } from '../api/client';
import type { components } from '../api/schema';

type Change = components['schemas']['LiveChange'];
export type Topic = Change['topics'][number];

/** How often a screen asks by itself, in milliseconds: while the stream tells it of changes, and while it does not. */
const whileTold = 60_000;
const whileNot = 15_000;
/** The first and the longest pause before the stream is opened again, in milliseconds. */
const shortest = 1_000;
const longest = 30_000;
/** The server sends something every 15 s; a stream that is silent for longer is dead. */
const silence = 45_000;

let told = false;

/** What a query says so that it is asked again when something of its topics changed: `...changesWith('orders')`. */
export const changesWith = (...topics: Topic[]) => ({
  meta: { topics },
  refetchInterval: () => (told ? whileTold : whileNot),
});

/** Asks again for what is on the screen and shows something of the topics. The rest is asked when it is opened. */
export function refresh(client: QueryClient, { topics, position }: Change): void {
  sawPosition(position);
  client.invalidateQueries({
    predicate: ({ meta }) => topics.some((topic) => (meta?.topics as Topic[] | undefined)?.includes(topic)),
  });
}

/**
 * Listens to what changes while the page is visible: a page in the background costs neither a connection nor a question.
 * When it is seen again it asks for everything that it shows.
 */
export function useLive(): void {
  const client = useQueryClient();
  useEffect(() => {
    if (typeof EventSource === 'undefined') return;
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let watch: ReturnType<typeof setTimeout> | undefined;
    let pause = shortest;
    let missed = false;

    const close = () => {
      clearTimeout(again);
      clearTimeout(watch);
      source?.close();
      source = undefined;
      told = false;
    };
    const broken = () => {
      close();
      missed = true;
      again = setTimeout(open, pause / 2 + Math.random() * (pause / 2));
      pause = Math.min(longest, pause * 2);
    };
    const heard = () => {
      told = true;
      pause = shortest;
      clearTimeout(watch);
      watch = setTimeout(broken, silence);
    };
    function open() {
      close();
      source = new EventSource('/api/staff/live/');
      source.onopen = () => {
        heard();
        if (missed) client.invalidateQueries({ predicate: ({ meta }) => Array.isArray(meta?.topics) });
        missed = false;
      };
      source.onerror = broken;
      source.addEventListener('changed', (message) => {
        heard();
        refresh(client, JSON.parse((message as MessageEvent<string>).data) as Change);
      });
    }
    const looked = () => {
      if (document.hidden) {
        close();
        missed = true;
      } else if (!source) open();
    };

    looked();
    document.addEventListener('visibilitychange', looked);
    return () => {
      document.removeEventListener('visibilitychange', looked);
      close();
    };
  }, [client]);
}
