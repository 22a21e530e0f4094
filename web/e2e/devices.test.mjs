import assert from 'node:assert/strict';
import { test } from './fixtures.mjs';
import config from './playwright.config.mjs';
import { buy, cash, fillCheckout, send, signInStaff } from './steps.mjs';

// Who is signed in is asked before anybody is; the browser notes the 401.
test.use({ intended: ['/api/staff/me'], serviceWorkers: 'allow', named: true });
// A camera that the browser pretends to have, without a question to its user. Push messages need the whole Chromium: its headless shell
// does not deliver them.
const { launchOptions } = config.use;
test.use({
  launchOptions: {
    ...launchOptions,
    executablePath: process.env.CHROMIUM_DESKTOP || launchOptions.executablePath,
    args: [...launchOptions.args, '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  },
});

test('a push is shown by the service worker and says nothing of a person', async ({ page, shop }) => {
  await signInStaff(page, shop, 'pushed@shop.example', 'manager');
  await page.context().grantPermissions(['notifications'], { origin: shop.origin });
  await page.goto('/admin/notices');
  // The page's policy of scripts names the worker's address alone.
  await page.evaluate(async () => {
    const policy = trustedTypes.createPolicy('notices', { createScriptURL: () => '/notices-worker.js' });
    await navigator.serviceWorker.register(policy.createScriptURL(''), { scope: '/admin/' });
    const { active, installing, waiting } = await navigator.serviceWorker.getRegistration('/admin/');
    const worker = installing ?? waiting;
    if (!active && worker)
      await new Promise((done) => {
        worker.addEventListener('statechange', () => worker.state === 'activated' && done());
      });
  });
  // There is no push service here: Chromium is told that a message came.
  const tools = await page.context().newCDPSession(page);
  const registered = new Promise((found) => {
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.endsWith('/admin/'));
      if (own) found(own.registrationId);
    });
  });
  await tools.send('ServiceWorker.enable');
  const registrationId = await registered;
  const deliver = (data) =>
    tools.send('ServiceWorker.deliverPushMessage', { origin: shop.origin, registrationId, data });
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/admin/');
      return (await registration.getNotifications()).map(({ title, body, tag, data }) => ({
        title,
        body,
        tag,
        path: data?.path,
      }));
    });
  const notice = {
    id: 'n1',
    title: 'Новый заказ',
    text: 'Заказ 100001, 9 000 ₸',
    path: '/admin/orders/100001',
  };
  await deliver('not JSON');
  await deliver(JSON.stringify(notice));
  await deliver(JSON.stringify(notice));
  const [only, ...more] = await (async () => {
    for (let tries = 0; tries < 80; tries++) {
      const all = await shown();
      if (all.length > 0) return all;
      await page.waitForTimeout(250);
    }
    return [];
  })();
  assert.deepEqual(only, { title: notice.title, body: notice.text, tag: 'n1', path: notice.path });
  assert.deepEqual(more, [], 'one that comes twice is shown once');
});

test('the camera reads a code in the warehouse, and the storefront may not open it', async ({
  page,
  shop,
  another,
}) => {
  const product = await shop.product('DL-10016', 48);
  await buy(page, product);
  await page.goto('/checkout');
  await fillCheckout(page, 'camera@example.kz');
  await cash(page).check();
  const { number } = await send(page);
  await shop.run('orders', 'approve', String(number));
  const allowed = () => document.featurePolicy.allowsFeature('camera');
  assert.ok(!(await page.evaluate(allowed)), 'no page of the storefront may open the camera');

  const keeper = await another();
  // Chromium reads codes by itself on phones and on macOS alone. This one looks whether frames of the camera come in.
  await keeper.addInitScript(() => {
    globalThis.BarcodeDetector = class {
      async detect(video) {
        if (!video.videoWidth) return [];
        const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
        const drawing = canvas.getContext('2d');
        drawing.drawImage(video, 0, 0);
        const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, at) => at % 4 !== 3 && value > 0) ? [{ rawValue: 'DL-10016' }] : [];
      }
    };
  });
  await signInStaff(keeper, shop, 'camera-keeper@shop.example', 'warehouse', 'Today');
  await keeper.goto('/admin/packing?day=2099-12-31');
  await keeper.getByRole('button', { name: `Pack: Order ${number}` }).click();
  assert.ok(await keeper.evaluate(allowed));
  await keeper.getByRole('button', { name: 'Camera' }).click();
  await keeper.getByText('All checked, the order is packed').waitFor();
});
