import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { connection } from '../api/connection';
import { connectionTexts } from '../texts/shell';
import s from './connection.module.css';

/** The pause between two checks whether the shop can be reached again, in milliseconds. */
const every = 5_000;

/** Says when the shop cannot be reached, and refetches everything once it can. Registers the service worker too. */
export default function Connection() {
  const client = useQueryClient();
  const lost = useSyncExternalStore(connection.subscribe, connection.isLost, connection.isLost);
  useEffect(() => {
    const look = () =>
      navigator.onLine
        ? fetch('/healthz', { cache: 'no-store' }).then(
            () => connection.notice(true),
            () => connection.notice(false),
          )
        : connection.notice(false);
    if (!navigator.onLine) look();
    addEventListener('online', look);
    addEventListener('offline', look);
    const timer = lost ? setInterval(look, every) : undefined;
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
      clearInterval(timer);
    };
  }, [lost]);
  useEffect(() => {
    if (!lost) return;
    return () => void client.invalidateQueries();
  }, [lost, client]);
  useEffect(() => {
    if (import.meta.env.PROD) register();
  }, []);
  return (
    <p role="status" className={lost ? s.lost : undefined}>
      {lost ? connectionTexts.lost : null}
    </p>
  );
}

/** The service worker starts after the page, so that its downloads do not delay the page's. */
function register(): void {
  const start = () => {
    // Without a service worker the shop works, but not offline.
    navigator.serviceWorker?.register('/worker.js').catch(() => {});
  };
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}
