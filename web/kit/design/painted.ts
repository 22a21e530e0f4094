/**
 * Settles when the browser has shown what is drawn now: work that follows a press, and is not its first answer, waits
 * for this. In a tab that is not seen no frame comes, so it waits for a tenth of a second at most.
 */
export const painted = () =>
  new Promise<void>((done) => {
    setTimeout(done, 100);
    requestAnimationFrame(() => setTimeout(done));
  });
