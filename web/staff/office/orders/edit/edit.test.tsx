import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../../kit/testing/server';
import { openPage, type Routes, signedIn } from '../../../testing/open';
import type { OrderSheet } from '../../api/queries';

const manager = signedIn(
  'manager',
  'personal.see',
  'orders.see',
  'orders.change',
  'orders.refund',
  'payments.mark',
);
const soap = '01a20160-593e-7398-aa87-bdc0b560fb01';
const oil = '01a20160-593e-7398-aa87-bdc0b560fb02';

const line = (product_id: string, name: string, amount: number, discounted_price: number) => ({
  product_id,
  article: name.toUpperCase(),
  name,
  link: name,
  amount,
  price: discounted_price,
  discounted_price,
  total: amount * discounted_price,
});

const step = (version: number): OrderSheet['steps'][number] => ({
  position: 100 + version,
  id: `01a20160-593e-7398-aa87-bdc0b560fc0${version}`,
  stream: 'order-1',
  version,
  type: 'order.tagged',
  schema: 1,
  recorded_at: '2026-11-23T05:00:00Z',
  actor: 'staff:1',
  correlation: '',
  causation: '',
  trace: '',
  data: {},
  erased: false,
  state: {},
  changes: [],
  effects: [],
  letters: [],
  projections: [],
});

const sheet = (facts: Partial<OrderSheet['order']> = {}, more: Partial<OrderSheet> = {}): OrderSheet => ({
  order: {
    status: 'RECEIVED',
    is_paid: false,
    delivery_type: 'DELIVERY',
    customer_first_name: 'Анна',
    customer_phone: '+77011112233',
    customer_email: 'anna@example.kz',
    customer_city: 'Алматы',
    customer_street: 'Абая',
    customer_house: '1',
    delivery_date: '2026-11-24T00:00:00Z',
    payment_method: 'CARD',
    total_sum: 7_000,
    total_paid: 7_000,
    lacks: 7_000,
    tags: [],
    lines: [line(soap, 'Soap', 2, 1_000), line(oil, 'Oil', 1, 5_000)],
    ...facts,
  },
  stock: [],
  possible: ['pay_by_hand', 'edit'],
  others: 0,
  number: 100_001,
  id: '01a20160-593e-7398-aa87-bdc0b560fb24',
  test_payment: false,
  stream: 'order-1',
  steps: [step(1), step(7)],
  price: null,
  ...more,
});

const call = (path: string) => `/api/staff/orders/100001/${path}/`;
const standing = { id: '01a20160-593e-7398-aa87-bdc0b560fb24', number: 100_001 };

/** Opens the order and the dialog behind a button. */
async function open(button: string, routes: Routes, shown: OrderSheet = sheet(), me = manager) {
  const page = openPage('/admin/orders/100001', { 'GET /api/staff/orders/100001': shown, ...routes }, me);
  await page.user.click(await screen.findByRole('button', { name: button }));
  return { ...page, dialog: within(await screen.findByRole('dialog')) };
}

test('money by hand is asked with what lacks, and a refusal stands beside its field', async () => {
  let refused = false;
  const { user, dialog, asked } = await open('Record a payment', {
    'POST /api/staff/orders/100001/payments': () => {
      if (refused) return standing;
      refused = true;
      return { status: 400, body: { reference: ['Этот номер уже записан'] } };
    },
  });
  const reference = dialog.getByLabelText(/^Number of the payment/);
  expect((dialog.getByLabelText('Sum, ₸') as HTMLInputElement).value).toBe('7000');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('Fill in this field')).toBeTruthy();
  expect(asked.some(to('POST', call('payments')))).toBe(false);
  await user.type(reference, 'KZ-1');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  const said = await dialog.findByText('Этот номер уже записан');
  expect(reference.getAttribute('aria-describedby')).toBe(said.id);
  expect(reference.getAttribute('aria-invalid')).toBe('true');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked.filter(to('POST', call('payments'))).at(-1)?.body).toEqual({
    method: 'TRANSFER',
    reference: 'KZ-1',
    amount: 7_000,
  });
});

test('whoever recorded money cannot confirm it, somebody else can', async () => {
  const claim = { method: 'KASPI_QR' as const, amount: 5_000, at: '2026-11-23T05:00:00Z' };
  const { user, asked } = await open(
    'Confirm the payment K2',
    { 'POST /api/staff/orders/100001/payments/confirmation': standing },
    sheet(
      {
        hand_claims: [
          { ...claim, reference: 'K1', by: `staff:${manager.id}` },
          { ...claim, reference: 'K2', by: 'staff:2' },
        ],
      },
      {
        steps: [
          {
            ...step(1),
            type: 'order.hand-payment-claimed',
            actor: 'admin@shop.example',
            data: { reference: 'K2' } as never,
          },
        ],
      },
    ),
  );
  expect(screen.queryByRole('button', { name: 'Confirm the payment K1' })).toBeNull();
  expect(
    within(screen.getByRole('list', { name: 'Waiting for a second person' })).getByText(
      /^admin@shop\.example/,
    ),
  ).toBeTruthy();
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Confirm' }));
  await waitFor(() =>
    expect(asked.find(to('POST', call('payments/confirmation')))?.body).toEqual({ reference: 'K2' }),
  );
});

test('money that staff took is given back by hand, what a provider took is not', async () => {
  const { user, dialog, asked } = await open(
    'Record a refund of the payment hand:K1',
    { 'POST /api/staff/orders/100001/payments/refund': standing },
    sheet({
      owed_by_hand: 2_000,
      money: [
        { payment_id: 'hand:K1', amount: 5_000, refunded: 0, by_hand: { method: 'TRANSFER', by: 'staff:2' } },
        { payment_id: '1-1', receipt: 'R-1', amount: 2_000, refunded: 0 },
      ],
    }),
  );
  expect(screen.queryByRole('button', { name: 'Record a refund of the payment R-1' })).toBeNull();
  await user.type(dialog.getByLabelText(/^Number of the refund/), 'B-1');
  await user.click(dialog.getByRole('button', { name: 'Record a refund' }));
  await waitFor(() =>
    expect(asked.find(to('POST', call('payments/refund')))?.body).toEqual({
      payment_id: 'hand:K1',
      reference: 'B-1',
      amount: 2_000,
    }),
  );
});

test('lines are priced before they are saved, and sent with the version that they were made of', async () => {
  const { user, dialog, asked } = await open('Change the goods', {
    'POST /api/staff/orders/100001/lines/preview': {
      total_paid: 2_700,
      explanation: [{ code: 'goods', label: 'Товары', amount: 2_700 }],
    },
    'PUT /api/staff/orders/100001/lines': standing,
  });
  await user.click(dialog.getByRole('button', { name: 'Remove Oil' }));
  const amount = dialog.getByLabelText('Amount: Soap');
  await user.clear(amount);
  await user.type(amount, '3');
  const price = dialog.getByLabelText('Price of one: Soap');
  await user.clear(price);
  await user.type(price, '900');
  await user.type(await dialog.findByLabelText('Why the price is another: Soap'), 'Помята коробка');
  expect(await dialog.findByText('Товары')).toBeTruthy();
  await user.type(dialog.getByLabelText(/^Why the goods change/), 'Просьба покупателя');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const lines = [{ product_id: soap, amount: 3, price: 900, reason: 'Помята коробка' }];
  expect(asked.find(to('PUT', call('lines')))?.body).toEqual({
    version: 7,
    lines,
    reason: 'Просьба покупателя',
  });
  expect(asked.filter(to('POST', call('lines/preview'))).at(-1)?.body).toEqual({ lines });
});

test('goods are found and added, and what is wrong with a line stands beside it', async () => {
  const { user, dialog, asked } = await open('Change the goods', {
    'GET /api/products': {
      results: [{ id: 'balm', name: 'Balm', article: 'B-1', discounted_price: 2_000, amount: 4 }],
    },
    'POST /api/staff/orders/100001/lines/preview': { total_paid: 9_000, explanation: [] },
    'PUT /api/staff/orders/100001/lines': {
      status: 400,
      body: { 'lines.1.amount': ['В наличии только 4'] },
    },
  });
  await user.click(dialog.getByRole('button', { name: 'Remove Soap' }));
  await user.type(dialog.getByRole('searchbox'), 'balm');
  await user.click(await dialog.findByRole('button', { name: 'Add Balm' }));
  const amount = await dialog.findByLabelText('Amount: Balm');
  await user.clear(amount);
  await user.type(amount, '9');
  await user.type(dialog.getByLabelText(/^Why the goods change/), 'Просьба');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  const said = await dialog.findByText('В наличии только 4');
  expect(amount.getAttribute('aria-describedby')).toBe(said.id);
  expect(asked.find(to('PUT', call('lines')))?.body).toMatchObject({
    lines: [
      { product_id: oil, amount: 1 },
      { product_id: 'balm', amount: 9 },
    ],
  });
});

test('when somebody was faster the dialog says who changed what, and shows the new state', async () => {
  const shown = [sheet(), sheet({ lines: [line(soap, 'Soap', 5, 1_000)] }, { steps: [step(1), step(8)] })];
  let overtaken = false;
  const { user, dialog } = await open('Change the goods', {
    'GET /api/staff/orders/100001': () => (overtaken ? shown[1] : shown[0]),
    'POST /api/staff/orders/100001/lines/preview': { total_paid: 7_000, explanation: [] },
    'PUT /api/staff/orders/100001/lines': () => {
      overtaken = true;
      return {
        status: 409,
        body: {
          detail: 'Заказ тем временем изменили',
          code: 'order/overtaken',
          changes: [{ type: 'order.lines-changed', actor: 'admin@shop.example', at: '2025-11-23T05:00:00Z' }],
        },
      };
    },
  });
  await user.type(dialog.getByLabelText(/^Why the goods change/), 'Просьба');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText(/^Goods changed, admin@shop\.example, 23 Nov 2025/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Load the new state' }));
  await waitFor(() => expect((dialog.getByLabelText('Amount: Soap') as HTMLInputElement).value).toBe('5'));
  expect(dialog.queryByLabelText('Amount: Oil')).toBeNull();
});

test("a customer's request is granted with its goods, some of them written off", async () => {
  const { user, dialog, asked } = await open(
    'Grant',
    { 'POST /api/staff/orders/100001/returns': standing },
    sheet(
      {
        status: 'COMPLETED',
        return_asked: { id: 'r1', at: '2026-11-23T05:00:00Z', lines: [{ product_id: soap, amount: 1 }] },
      },
      { possible: ['return'] },
    ),
  );
  expect((dialog.getByLabelText('Came back: Soap, at most 2') as HTMLInputElement).value).toBe('1');
  await user.click(dialog.getByLabelText('Write off: Soap'));
  await user.type(dialog.getByLabelText('Reason'), 'Не подошло');
  await user.click(dialog.getByRole('button', { name: 'Take goods back' }));
  await waitFor(() =>
    expect(asked.find(to('POST', call('returns')))?.body).toMatchObject({
      version: 7,
      request_id: 'r1',
      reason: 'Не подошло',
      lines: [{ product_id: soap, amount: 1, written_off: true }],
    }),
  );
});

test('the promised day is sent only when it was changed', async () => {
  const { user, dialog, asked } = await open('Change contact and address', {
    'PUT /api/staff/orders/100001/address': standing,
  });
  const street = dialog.getByLabelText(/^Street/);
  await user.clear(street);
  await user.type(street, 'Сатпаева');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(asked.find(to('PUT', call('address')))?.body).toMatchObject({
      version: 7,
      address: { city: 'Алматы', street: 'Сатпаева', house: '1' },
      contact: { first_name: 'Анна', phone: '+77011112233' },
      delivery_date: '',
    }),
  );
});

test('an address without a street is told beside the field', async () => {
  const { user, dialog } = await open('Change contact and address', {
    'PUT /api/staff/orders/100001/address': {
      status: 400,
      body: { street: ['Для доставки укажите улицу и дом'] },
    },
  });
  const street = dialog.getByLabelText(/^Street/);
  await user.clear(street);
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  const told = await dialog.findByText('Для доставки укажите улицу и дом');
  expect(street.getAttribute('aria-invalid')).toBe('true');
  expect(street.getAttribute('aria-describedby')?.split(' ')).toContain(told.id);
});

test('a role without the permissions has none of these buttons', async () => {
  openPage(
    '/admin/orders/100001',
    { 'GET /api/staff/orders/100001': sheet() },
    { ...manager, role: 'warehouse', permissions: ['orders.see', 'orders.pack', 'personal.see'] },
  );
  await screen.findByRole('heading', { name: 'Money' });
  for (const name of ['Record a payment', 'Change the goods', 'Change contact and address'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});
