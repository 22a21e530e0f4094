import type { components as ShopComponents } from '../../../kit/api/schema';
import type { components } from '../../api/schema';

type ShopSchemas = ShopComponents['schemas'];
type Schemas = components['schemas'];

export type Change = Omit<Schemas['Change'], 'was' | 'now'> & { was?: unknown; now?: unknown };
export type Effect = Schemas['Effect'];
/** A step; the description cannot say that payload and state are any JSON. */
export type Step = Omit<Schemas['Step'], 'data' | 'state' | 'changes'> & {
  data: unknown;
  state: Record<string, unknown> | null;
  changes: Change[];
};
export type Trail = { stream: string; steps: Step[]; step_up: boolean };
export type Priced = Omit<Schemas['Priced'], 'rules' | 'changes'> & { changes: Change[] };
export type OrderTrail = Trail & { number: number; id: string; test_payment: boolean; price: Priced | null };

export type Ledger = Schemas['Ledger'];
export type Movement = Schemas['Movement'];
export type Prices = Schemas['Prices'];

/** The public list of products. */
export type ProductPage = ShopSchemas['ProductPage'];

export type ReportKind = Schemas['Reports'][number];
export type Report = Omit<Schemas['Report'], 'columns'> & { columns: Column[] };
/** A change is a difference of two numbers, which only the page makes. */
export type Kind = Schemas['ReportColumn']['kind'] | 'change';
export type Column = Omit<Schemas['ReportColumn'], 'kind'> & { kind: Kind };
export type Row = Schemas['ReportRow'];
export type FunnelStep = Schemas['FunnelStep'];

/** The shop's rules, which the description leaves open. */
export type Rules = {
  tiers: { from: number; percent: number }[];
  minimum_sum: number;
  delivery: { city: string; aliases: string[]; price: number; free_from: number }[];
  bonus_spend_percent: number;
  bonus_earn_percent: number;
  max_per_order: number;
  card_minutes: number;
  kaspi_minutes: number;
  new_days: number;
  same_day_until: number;
  reviews_moderated: boolean;
  guest_open_orders: number;
  guest_open_pieces: number;
  customer_open_orders: number;
  customer_open_pieces: number;
  network_open_orders: number;
  network_open_pieces: number;
  cash_hours: number;
  guest_months: number;
  promocode_proof: boolean;
  hand_confirm_above: number;
  return_days: number;
  low_stock: number;
  approval_price_cut: number;
  approval_products: number;
  approval_below_cost: boolean;
  approval_rules: boolean;
  opens_at: number;
  closes_at: number;
};

export type Figures = Schemas['ReplayFigures'];
export type Compared = Schemas['ReplayRow'];
export type Outcome = Omit<Schemas['ReplayReport'], 'changes'> & { changes: Change[] };
export type ReplayState = Schemas['Replay']['state'];
export type Replay = Omit<Schemas['ReplaySummary'], 'rules'> & {
  rules: Partial<Rules>;
  /** Not in a list of them. */
  report?: Outcome | null;
};

export type DataSet = Schemas['Dataset'];
