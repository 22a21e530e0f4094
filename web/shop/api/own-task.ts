/** Settles in a task of its own, without the pause that timers have. */
export const ownTask = () =>
  new Promise<void>((begun) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      begun();
    };
    port2.postMessage(undefined);
  });
