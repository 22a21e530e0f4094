import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';
import type { Published } from './queries';

const me = signedIn('manager', 'rules.change', 'orders.see');

const now: Published = {
  version: 3,
  published: true,
  settings: {
    email: 'hello@shop.example',
    phone: '',
    hours: { ru: 'с 10 до 19', kk: '' },
    legal_name: 'ТОО «Дала»',
    registration_number: '',
    address: { ru: 'Алматы, Абая, 1', kk: '' },
    pickup: { ru: '', kk: '' },
    social_name: '',
    social_url: '',
    privacy_url: '/privacy.pdf',
    offer_url: '/offer.pdf',
    offer_version: '2026-01',
    returns: { ru: '', kk: '' },
    no_delivery: [7],
    menu: [
      { text: { ru: 'О нас', kk: 'Біз туралы' }, address: '/about' },
      { text: { ru: 'Блог', kk: '' }, address: '/news' },
    ],
    footer_menu: [{ text: { ru: 'О нас', kk: '' }, address: '/about' }],
    holidays: [{ date: '2027-05-01', name: { ru: 'Праздник', kk: '' } }],
  },
};

const open = (answer: unknown) =>
  openPage(
    '/admin/settings',
    { 'GET /api/staff/settings': now, 'POST /api/staff/settings': answer as never },
    me,
  );

test('settings are published whole, with the version they were made of and days in order', async () => {
  const { user, asked } = open({ status: 204, body: null });
  const phone = await screen.findByRole('textbox', { name: /^Phone/ });
  await user.type(phone, '+7 701');
  await user.click(screen.getByRole('checkbox', { name: 'Saturday' }));
  await user.click(screen.getByRole('button', { name: 'Add a day' }));
  const dates = screen.getAllByLabelText('Day');
  await user.type(dates[1] as HTMLElement, '2027-03-22');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() => expect(screen.getAllByRole('status')[0]?.textContent).toContain('Published'));
  const sent = asked.find(({ method, path }) => method === 'POST' && path.includes('/settings'))
    ?.body as Published;
  expect(sent.version).toBe(3);
  expect(sent.settings).toMatchObject({ phone: '+7 701', no_delivery: [6, 7], legal_name: 'ТОО «Дала»' });
  expect(sent.settings.holidays.map(({ date }) => date)).toEqual(['2027-03-22', '2027-05-01']);
});

test('menus are edited: an entry moves, one goes, one comes, and a wrong address is said beside it', async () => {
  const { user, asked } = open({ status: 204, body: null });
  const group = (at: number) => within(screen.getByRole('group', { name: `Menu of the header, ${at}` }));
  await user.click(await screen.findByRole('button', { name: 'Down: Menu of the header, 1' }));
  await user.click(screen.getByRole('button', { name: 'Remove: Menu of the header, 2' }));
  await user.click(screen.getByRole('button', { name: 'Menu of the header: add an entry' }));
  await user.type(group(2).getByRole('textbox', { name: /^Entry, in Russian/ }), 'Подарки');
  await user.type(group(2).getByRole('textbox', { name: /^Address/ }), 'gifts');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  expect(await group(2).findByText('An address begins with / or https://')).toBeTruthy();
  await user.clear(group(2).getByRole('textbox', { name: /^Address/ }));
  await user.type(group(2).getByRole('textbox', { name: /^Address/ }), '/gifts');
  await user.click(screen.getByRole('button', { name: 'Menu of the footer: back to the standard one' }));
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() => expect(screen.getAllByRole('status')[0]?.textContent).toContain('Published'));
  const sent = asked.find(({ method, path }) => method === 'POST' && path.includes('/settings'))
    ?.body as Published;
  expect(sent.settings.menu).toEqual([
    { text: { ru: 'Блог', kk: '' }, address: '/news' },
    { text: { ru: 'Подарки', kk: '' }, address: '/gifts' },
  ]);
  expect(sent.settings.footer_menu).toEqual([]);
});

test('settings are looked at first: the draft leads to its preview, and nothing is published', async () => {
  const made = {
    id: '0199a6f2-0000-7000-8000-000000000001',
    status: 'waiting',
    needs: ['draft'],
    results: [],
  };
  const { user, asked } = open({ status: 202, body: made });
  await user.type(await screen.findByRole('textbox', { name: /^Phone/ }), '+7 701');
  await user.click(screen.getByRole('button', { name: 'Look first' }));
  await waitFor(() =>
    expect(screen.getByTestId('address').textContent).toBe(`/admin/changes/${made.id}/preview`),
  );
  expect(
    asked.find(({ method, path }) => method === 'POST' && path.includes('/settings'))?.body,
  ).toMatchObject({
    version: 3,
    draft: true,
    settings: { phone: '+7 701' },
  });
});

test('what is wrong is said beside its field, and nothing is sent', async () => {
  const { user, asked } = open({ status: 204, body: null });
  const mail = await screen.findByRole('textbox', { name: /^E-mail/ });
  await user.clear(mail);
  await user.type(mail, 'hello');
  await user.type(screen.getByRole('textbox', { name: /^Address of the social page/ }), 'javascript:1');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  expect(await screen.findByText('An e-mail address is needed')).toBeTruthy();
  expect(screen.getByText('An address begins with / or https://')).toBeTruthy();
  expect(asked.some(({ method, path }) => method === 'POST' && path.includes('/settings'))).toBe(false);
});

test('a refusal is shown at its field, a newer version in words', async () => {
  const refused = open({ status: 400, body: { 'holidays[0].date': ['Each needs a date of its own.'] } });
  await refused.user.click(await screen.findByRole('button', { name: 'Publish' }));
  const day = screen.getByLabelText('Day').closest('div') as HTMLElement;
  expect(await within(day).findByText('Each needs a date of its own.')).toBeTruthy();
  refused.unmount();

  const overtaken = open({
    status: 409,
    body: { detail: 'The settings have changed.', code: 'settings/moved' },
  });
  await overtaken.user.click(await screen.findByRole('button', { name: 'Publish' }));
  expect(await screen.findByText(/Somebody else changed the settings/)).toBeTruthy();
});

test('settings are merged with those that somebody published meanwhile', async () => {
  const newer = {
    version: 4,
    published: true,
    settings: { ...now.settings, email: 'post@shop.example', phone: '+7 702', no_delivery: [6, 7] },
  };
  let looks = 0;
  let sends = 0;
  const { user, asked } = openPage(
    '/admin/settings',
    {
      'GET /api/staff/settings': () => (looks++ === 0 ? now : newer),
      'POST /api/staff/settings': () =>
        sends++ === 0
          ? { status: 409, body: { detail: 'The settings have changed.', code: 'settings/moved' } }
          : { status: 204, body: null },
    } as never,
    me,
  );
  await user.type(await screen.findByRole('textbox', { name: /^Phone/ }), '+7 701');
  await user.type(screen.getByRole('textbox', { name: /^Where orders are picked up, in Russian/ }), 'Склад');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  const dialog = await screen.findByRole('dialog', { name: 'Somebody changed this too' });
  expect(within(dialog).getAllByRole('group').length).toBe(1);
  await user.click(within(dialog).getByRole('radio', { name: /\+7 701/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Save what I chose' }));
  await waitFor(() => expect(screen.getAllByRole('status')[0]?.textContent).toContain('Published'));
  const sent = asked.findLast(({ method, path }) => method === 'POST' && path.includes('/settings'))
    ?.body as Published;
  expect(sent.version).toBe(4);
  expect(sent.settings).toMatchObject({
    email: 'post@shop.example',
    phone: '+7 701',
    no_delivery: [6, 7],
    pickup: { ru: 'Склад', kk: '' },
  });
  expect(sends).toBe(2);
});
