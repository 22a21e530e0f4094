/** What the calls for reports, replays and data sets answer. */

export type Kind = 'day' | 'week' | 'month' | 'text' | 'count' | 'money' | 'percent' | 'days';
export type Column = {
  key: string;
  title: string;
  kind: Kind;
  link?: 'product' | 'order' | 'category' | 'brand';
  about?: string;
};
export type Row = Record<string, string | number | null>;

export type ReportKind = {
  name: string;
  title: string;
  about: string;
  by: string[];
  filters: string[];
  position: number;
  lag: number;
};

export type LostReason = { reason: string; title: string; baskets: number; money: number };
export type FunnelStep = {
  step: string;
  title: string;
  baskets: number;
  money: number;
  share: number;
  lost?: { baskets: number; money: number; reasons: LostReason[] };
};

export type Report = {
  report: string;
  title: string;
  position: number;
  as_of: string;
  from: string | null;
  to: string | null;
  by: string | null;
  filters: Record<string, string>;
  columns: Column[];
  rows: Row[];
  total: Row | null;
  count: number;
  chart: { x: string; y: string[] } | null;
  notes: string[];
  steps?: FunnelStep[];
};

export type Tier = { from: number; percent: number };
export type CityDelivery = { city: string; aliases: string[]; price: number; free_from: number };
export type Rules = {
  tiers: Tier[];
  minimum_sum: number;
  delivery: CityDelivery[];
  max_per_order: number;
  bonus_spend_percent: number;
  bonus_earn_percent: number;
  card_minutes: number;
  kaspi_minutes: number;
  new_days: number;
  same_day_until: number;
  reviews_moderated: boolean;
};

export type Figures = {
  orders: number;
  goods: number;
  discounts: number;
  bonuses: number;
  delivery: number;
  revenue: number;
  average: number;
};
export type Compared = {
  name: string;
  was: Figures;
  would: Figures;
  change: Figures;
  below_minimum: number;
  no_cash: number;
  lost: number;
  tier_up: number;
  tier_down: number;
};
export type Outcome = {
  id: string;
  position: number;
  rules: Rules;
  rules_version: number;
  changes: { field: string; was?: unknown; now?: unknown }[];
  elsewhere: number;
  total: Compared;
  by_month: Compared[];
  by_category: Compared[];
  by_city: Compared[];
  by_customer: Compared[];
  baskets: {
    baskets: number;
    unavailable: number;
    could: number;
    could_sum: number;
    would: number;
    would_sum: number;
  };
  assumptions: string[];
};
export type ReplayState = 'queued' | 'running' | 'done' | 'cancelled' | 'failed';
export type Replay = {
  id: string;
  state: ReplayState;
  error?: string;
  position: number;
  rules: Partial<Rules>;
  created_at: string;
  created_by: string;
  finished_at?: string | null;
  progress: { stage: 'read' | 'price'; done: number; of: number };
  report?: Outcome | null;
};

export type DataSet = {
  name: string;
  about: string;
  columns: { name: string; type: string; about: string }[];
  formats: string[];
};
