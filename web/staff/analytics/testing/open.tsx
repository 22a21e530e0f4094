import type { Me } from '../../api/types';
import { openPage, type Routes } from '../../testing/open';
import type { OrderTrail, Report, ReportKind, Step } from '../api/types';
import order from './order-100044.json';

export const analyst: Me = {
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: 'aru@shop.example',
  role: 'analyst',
  permissions: ['projections.see', 'log.see', 'orders.see', 'reports.see'],
  csrf: 'token-of-the-session',
};

/** An order whose card was refused, as the shop answered. */
export const refused = order as unknown as OrderTrail;

/** A step of a stream, as the shop tells it. */
export const step = (facts: Partial<Step>): Step => ({
  position: 7,
  id: '01a20160-593e-7398-aa87-bdc0b560fb24',
  stream: 'rules',
  version: 1,
  type: 'rules.changed',
  schema: 1,
  recorded_at: '2026-03-02T05:24:07Z',
  actor: 'guest',
  correlation: 'request-9',
  causation: 'request-9',
  trace: '',
  data: {},
  erased: false,
  state: null,
  changes: [],
  effects: [],
  letters: [],
  projections: ['funnel'],
  ...facts,
});

export const kind = (facts: Partial<ReportKind> = {}): ReportKind => ({
  name: 'sales',
  title: 'Sales',
  about: 'Orders and revenue.',
  by: ['month', 'day'],
  filters: ['city', 'payment'],
  position: 7_212,
  lag: 0,
  ...facts,
});

export const report = (facts: Partial<Report> = {}): Report => ({
  report: 'sales',
  title: 'Sales',
  position: 7_212,
  as_of: '2026-11-21T10:00:00Z',
  from: null,
  to: null,
  by: 'month',
  filters: {},
  columns: [
    { key: 'month', title: 'Month', kind: 'month' },
    { key: 'orders', title: 'Orders', kind: 'count' },
    { key: 'revenue', title: 'Revenue', kind: 'money' },
    { key: 'paid', title: 'Paid', kind: 'percent' },
  ],
  rows: [
    { month: '2026-01', orders: 12, revenue: 250_000, paid: 915 },
    { month: '2026-02', orders: 9, revenue: 180_000, paid: null },
  ],
  total: { orders: 21, revenue: 430_000 },
  count: 2,
  chart: { x: 'month', y: ['revenue', 'orders'] },
  notes: ['Imported orders count by their old day.'],
  ...facts,
});

/** Opens an address of the analysts' page against such a server. */
export const open = (path: string, routes: Routes, me: Me | null = analyst) => openPage(path, routes, me);
