/** When this tab last reloaded its page for a missing chunk, in milliseconds. */
const storageKey = 'dala.renewed';

/** A page reloads for a missing chunk at most once in so many milliseconds: a second reload would not help. */
const reloadPause = 10_000;
/** The pause before a chunk is fetched again, in milliseconds. */
const retryPause = 5000;

const lately = () => Date.now() - Number(sessionStorage.getItem(storageKey) ?? 0) < reloadPause;

/**
 * Loads a chunk. When it is missing although the shop answers, a newer release has replaced it: the page reloads into
 * that release. Any other failure is thrown.
 */
export async function chunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const answered = await fetch(new Request(location.href, { method: 'HEAD' })).then(
      ({ status }) => status < 500,
    );
    if (!answered || lately()) throw error;
    sessionStorage.setItem(storageKey, String(Date.now()));
    location.reload();
    return new Promise(() => {}); // the page reloads
  }
}

/** Loads a chunk that the page can do without for a while: it retries until the chunk arrives. */
export const chunkWithRetry = <T>(load: () => Promise<T>): Promise<T> =>
  chunk(load).catch(() =>
    new Promise((again) => {
      setTimeout(again, retryPause);
    }).then(() => chunkWithRetry(load)),
  );
