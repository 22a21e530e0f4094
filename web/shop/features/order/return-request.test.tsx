import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../../kit/testing/server';
import type { OrderDetail } from '../../api/types';
import { recorded } from '../../testing/answers';
import { renderPart } from '../../testing/render';
import { OrderActions } from './order-actions';
import { ReturnRequest } from './return-request';

const [line] = recorded.order.products_amount as [OrderDetail['products_amount'][number]];
const order = (facts: Partial<OrderDetail> = {}): OrderDetail => ({
  ...recorded.order,
  status: 'COMPLETED',
  return_until: '2999-01-01T00:00:00Z',
  products_amount: [
    { ...line, amount: 3, product: { ...line.product, id: 'soap', name: 'Мыло' } },
    { ...line, amount: 1, product: { ...line.product, id: 'oil', name: 'Масло' } },
  ],
  ...facts,
});
const path = `/api/orders/${order().id}/return/`;

test('what is to come back is asked with its amounts and the reason, and less what came back already', async () => {
  const asked = serve({ [`POST ${path}`]: { status: 204 } });
  const { user } = renderPart(
    <ReturnRequest
      order={order({ returned: [{ product_id: 'soap', amount: 1, money: 100 }] })}
      letterKey="key"
    />,
  );
  await user.click(screen.getByRole('button', { name: 'Вернуть товары' }));
  expect(screen.getByLabelText('Сколько вернуть: Мыло').children.length).toBe(3);
  await user.click(screen.getByRole('button', { name: 'Отправить' }));
  expect(await screen.findByText('Выберите, что хотите вернуть')).toBeTruthy();
  expect(screen.getByText('Напишите причину')).toBeTruthy();
  expect(asked).toEqual([]);
  await user.selectOptions(screen.getByLabelText('Сколько вернуть: Мыло'), '2');
  await user.type(screen.getByLabelText('Причина'), 'Не подошло');
  await user.click(screen.getByRole('button', { name: 'Отправить' }));
  await waitFor(() => expect(screen.queryByRole('form')).toBeNull());
  const sent = asked.find(to('POST', path));
  expect(sent?.body).toEqual({ products: [{ product: 'soap', amount: 2 }], reason: 'Не подошло' });
  expect(sent?.headers.get('X-Letter-Key')).toBe('key');
});

test("the shop's refusal stays with the form", async () => {
  serve({ [`POST ${path}`]: { status: 400, body: { reason: ['Слишком длинно'] } } });
  const { user } = renderPart(<ReturnRequest order={order()} />);
  await user.click(screen.getByRole('button', { name: 'Вернуть товары' }));
  await user.selectOptions(screen.getByLabelText('Сколько вернуть: Масло'), '1');
  await user.type(screen.getByLabelText('Причина'), 'Не подошло');
  await user.click(screen.getByRole('button', { name: 'Отправить' }));
  const said = await screen.findByText('Слишком длинно');
  expect(screen.getByLabelText('Причина').getAttribute('aria-describedby')).toBe(said.id);
});

test('what was asked, declined and returned is said, and nothing more is asked meanwhile', () => {
  renderPart(
    <ReturnRequest
      order={order({
        return_asked: [{ product_id: 'oil', amount: 1 }],
        goods_back: 100,
        returned: [{ product_id: 'soap', amount: 1, money: 100 }],
      })}
    />,
  );
  expect(screen.getByText('Вы вернули:').nextElementSibling?.textContent).toBe('Мыло: 1 шт.');
  expect(screen.getByText('Возврат за товары: 100 ₸')).toBeDefined();
  expect(screen.getByText(/^Вы попросили вернуть/).nextElementSibling?.textContent).toBe('Масло: 1 шт.');
  expect(screen.queryByRole('button')).toBeNull();
});

test.each([
  ['the time is over', { return_until: '2020-01-01T00:00:00Z' }],
  ['the shop takes none back', { return_until: null }],
])('nothing is there when %s', (_why, facts) => {
  renderPart(<ReturnRequest order={order(facts)} />);
  expect(screen.queryByText('Возврат товаров')).toBeNull();
});

test('a declined request says why', () => {
  renderPart(<ReturnRequest order={order({ return_declined: 'Упаковка вскрыта', return_until: null })} />);
  expect(screen.getByText('Упаковка вскрыта')).toBeTruthy();
});

test('what lacks after the lines changed can be paid', () => {
  renderPart(
    <OrderActions
      order={order({ status: 'APPROVED', payment_method: 'CARD', is_paid: false, lacks: 1_500 })}
    />,
  );
  expect(screen.getByRole('button', { name: /^Доплатить 1.500.₸$/ })).toBeTruthy();
});
