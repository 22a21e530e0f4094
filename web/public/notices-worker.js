// Shows what the shop pushes to whoever works in it, and leads to it. It answers no request: pages come from the shop.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  let said;
  try {
    said = event.data.json();
  } catch {
    return;
  }
  // One that comes twice takes the place of the first: its tag is the same.
  event.waitUntil(
    self.registration.showNotification(String(said.title), {
      body: String(said.text ?? ''),
      tag: String(said.id),
      icon: '/icon-192.png',
      data: { path: String(said.path ?? '/admin') },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const at = new URL(event.notification.data.path, self.location.origin);
  // Only pages of the shop's staff.
  const path = at.origin === self.location.origin ? at.pathname + at.search : '/admin';
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then(async (windows) => {
      const open = windows.find((one) => new URL(one.url).pathname.startsWith('/admin'));
      if (!open) return self.clients.openWindow(path);
      await open.focus();
      return open.navigate(path);
    }),
  );
});
