import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import NewPasswordPage from './new-password';

const call = 'POST /api/auth/profile/password-reset/by-link/';

async function choose(password: string) {
  const page = renderAt('/new-password#the-token', '/new-password', <NewPasswordPage />);
  await page.user.type(await screen.findByLabelText('Новый пароль'), password);
  await page.user.type(screen.getByLabelText('Повторите пароль'), password);
  await page.user.click(screen.getByRole('button', { name: 'Сменить пароль' }));
}

test('the link of a letter sets the password without a code', async () => {
  const log = serve({ 'GET /api/rules/': recorded.rules, [call]: {} });
  await choose('пять котов на крыше');
  expect(await screen.findByText('at /login')).toBeTruthy();
  expect(log.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { token: 'the-token', new_password: 'пять котов на крыше', password: 'пять котов на крыше' },
  ]);
});

test('a password that would be guessed first is refused beside its field', async () => {
  serve({
    'GET /api/rules/': recorded.rules,
    [call]: () => ({
      status: 400,
      body: { new_password: ['Этот пароль слишком часто встречается. Придумайте другой'] },
    }),
  });
  await choose('qwertyuiop');
  const said = await screen.findByText('Этот пароль слишком часто встречается. Придумайте другой');
  expect(screen.getByLabelText('Новый пароль').getAttribute('aria-describedby')).toContain(said.id);
});

test('a link that is over leads to another letter', async () => {
  serve({
    'GET /api/rules/': recorded.rules,
    [call]: () => ({ status: 400, body: { token: ['Ссылка устарела'] } }),
  });
  await choose('пять котов на крыше');
  expect(await screen.findByRole('link', { name: 'Попросить новое письмо' })).toBeTruthy();
});
