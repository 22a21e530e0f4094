/** When a tab last opened its page anew for a chunk, in milliseconds. */
const storageKey = 'dala.renewed';

/** A page that has just been opened anew, and lacks a chunk all the same, will not have it the next time. */
const patience = 10_000;
/** How long a part waits that could not be fetched. */
const pause = 5000;

const lately = () => Date.now() - Number(sessionStorage.getItem(storageKey) ?? 0) < patience;

/**
 * Loads a chunk. One that is missing while the shop answers was replaced by a newer release: the page opens anew, as
 * that release has it. Any other failure is the caller's.
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
    return new Promise(() => {}); // the page is going
  }
}

/** The same for what a page can do without: it is asked for until it comes. */
export const chunkWithRetry = <T>(load: () => Promise<T>): Promise<T> =>
  chunk(load).catch(() =>
    new Promise((again) => {
      setTimeout(again, pause);
    }).then(() => chunkWithRetry(load)),
  );
