/** Where the service worker is that shows pushes, and which pages it has. */
const worker = '/notices-worker.js';
const scope = '/admin/';

type Policy = { createScriptURL: (url: string) => string };
type Types = { createPolicy: (name: string, rules: Policy) => Policy };

let policy: Policy | undefined;

/** The worker's address as the page's policy wants it (Trusted Types): no other can come out of it. */
function workerAddress(): string {
  const types = (window as { trustedTypes?: Types }).trustedTypes;
  policy ??= types?.createPolicy('notices', { createScriptURL: () => worker });
  return policy?.createScriptURL(worker) ?? worker;
}

/** Whether this browser can take pushes at all. */
export const takesPushes = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** Whether its user said no: only the browser's settings change that. */
export const refusesPushes = (): boolean => takesPushes() && Notification.permission === 'denied';

/** Asks the user, and subscribes this browser with the shop's key. Undefined: the user said no. */
export async function subscribe(key: string): Promise<PushSubscriptionJSON | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  await navigator.serviceWorker.register(workerAddress(), { scope });
  const registration = await navigator.serviceWorker.getRegistration(scope);
  if (!registration) return undefined;
  await active(registration);
  const known = await registration.pushManager.getSubscription();
  const subscription =
    known ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  return subscription.toJSON();
}

/** Waits until a registration's worker runs: before, nothing can be subscribed. */
async function active(registration: ServiceWorkerRegistration): Promise<void> {
  const coming = registration.installing ?? registration.waiting;
  if (registration.active || !coming) return;
  await new Promise<void>((resolve) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve();
    });
  });
}
