import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMay, useMe } from '../../me';
import f from '../../parts/field.module.css';
import { count, money } from '../../parts/format';
import {
  Action,
  Confirm,
  Fact,
  Facts,
  Head,
  Loaded,
  Loading,
  Moment,
  Nothing,
  Section,
} from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, Now, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { WithReason } from '../desk/reason';
import { Standing, titleOf } from './changes';
import s from './changes.module.css';
import { EffectSection } from './effect';
import {
  type ChangeItem,
  type ChangeSheet,
  changeQueries,
  type Decision,
  decide,
  isDraft,
  isPending,
  itemsPerPage,
} from './queries';
import { changeTexts as w } from './texts/ru';
import { Undo } from './undo';
import { fieldName, refusal, said, thingName, WasNow } from './value';

const outcomes = ['', 'done', 'same', 'conflict', 'refused'] as const;
type Outcome = (typeof outcomes)[number];
const outcomeOf = (text: string): Outcome => outcomes.find((one) => one === text) ?? '';

/** One change: what it did to each thing, who let it, and the way back. */
export function ChangePage() {
  const { id = '' } = useParams();
  const { value, narrow } = useFilters();
  const from = Math.max(0, Number(value('from')) || 0);
  const outcome = outcomeOf(value('outcome'));
  const found = useQuery(changeQueries.one(id, from, outcome, useAt()));
  const then = useThen();
  if (found.error instanceof Problem && found.error.status === 404)
    return (
      <>
        <Head title={w.change} />
        <AsOf />
        <Nothing title={w.noSuch} />
      </>
    );
  return (
    <Loaded query={found} what={w.change} loading={<Loading rows={4} height={96} />}>
      {(sheet) => (
        <>
          <About sheet={sheet} />
          <Now>
            <EffectSection sheet={sheet} />
          </Now>
          <Section title={w.whatChanged}>
            <search className={d.filters}>
              <label className={f.field}>
                {w.outcome}
                <select value={outcome} onChange={({ target }) => narrow('outcome', target.value)}>
                  {outcomes.map((one) => (
                    <option key={one} value={one}>
                      {one ? w.outcomes[one] : w.any}
                    </option>
                  ))}
                </select>
              </label>
            </search>
            <Table
              caption={w.whatChanged}
              columns={columns(then)}
              rows={sheet.page}
              rowKey={({ n }) => n}
              empty={<Nothing title={w.noItems} />}
              cards
            />
            {sheet.page.length === itemsPerPage ? (
              <nav className={d.pages} aria-label={w.whatChanged}>
                <Action onClick={() => narrow('from', String((sheet.page.at(-1)?.n ?? 0) + 1))}>
                  {w.more}
                </Action>
              </nav>
            ) : null}
          </Section>
        </>
      )}
    </Loaded>
  );
}

function About({ sheet }: { sheet: ChangeSheet }) {
  const then = useThen();
  return (
    <>
      <Head title={titleOf(sheet)} lead={sheet.reason}>
        <Link className={t.link} to={then('/admin/changes')}>
          {w.list}
        </Link>
      </Head>
      <AsOf />
      <Now>
        <Actions sheet={sheet} />
      </Now>
      <Facts>
        <Fact label={w.status}>
          <Standing row={sheet} />
        </Fact>
        <Fact label={w.who}>
          {sheet.proposed_name} · <Moment at={sheet.proposed_at} />
        </Fact>
        {sheet.needs.length > 0 ? (
          <Fact label={w.needs}>
            <ul className={s.touches}>
              {sheet.needs.map((one) => (
                <li key={one}>{needOf(sheet, one)}</li>
              ))}
            </ul>
          </Fact>
        ) : null}
        {sheet.decided_by ? (
          <Fact label={w.decided}>
            {sheet.decided_name} · <Moment at={sheet.decided_at} />
            {sheet.decision_reason ? (
              <span className={`${t.sub} ${sheet.override ? s.override : ''}`}>{sheet.decision_reason}</span>
            ) : null}
          </Fact>
        ) : null}
        <Fact label={w.changed}>{w.of(count(sheet.done), count(sheet.items))}</Fact>
        {sheet.ended_at ? (
          <Fact label={w.putBack}>{w.of(count(sheet.put_back), count(sheet.done))}</Fact>
        ) : null}
        {sheet.undoes ? (
          <Fact label={w.undoes}>
            <Link className={t.link} to={then(`/admin/changes/${sheet.undoes}`)}>
              {w.thatChange}
            </Link>
          </Fact>
        ) : null}
        {sheet.undone_by ? (
          <Fact label={w.undoneBy}>
            <Link className={t.link} to={then(`/admin/changes/${sheet.undone_by}`)}>
              {w.thatChange}
            </Link>
          </Fact>
        ) : null}
        {sheet.report ? (
          <Fact label={w.report}>
            <Link className={t.link} to={`/analytics/replays/${sheet.report}`}>
              {w.thatReport}
            </Link>
          </Fact>
        ) : null}
      </Facts>
    </>
  );
}

/** Why a change needs a second person, with how far it goes beyond the rule where that is known. */
function needOf(sheet: ChangeSheet, rule: string): string {
  const because = sheet.because.find((one) => one.rule === rule);
  const text = because && beyond(because);
  if (!text) return w.reasons[rule as keyof typeof w.reasons] ?? rule;
  const name = sheet.page.find(({ thing, id }) => thing === because.thing && id === because.id)?.name;
  return name ? w.furthest(text, name) : text;
}

function beyond({ rule, found, bound }: ChangeSheet['because'][number]): string {
  if (rule === 'price-cut') return w.cutBy(count(found), count(bound));
  if (rule === 'many') return w.manyProducts(count(found), count(bound));
  return rule === 'below-cost' ? w.belowCost(money(found)) : '';
}

/** What may be done now, by whoever looks. */
function Actions({ sheet }: { sheet: ChangeSheet }) {
  const client = useQueryClient();
  const me = useMe();
  const mine = sheet.proposed_by === `staff:${me.id}`;
  const [asking, setAsking] = useState<Decision | 'undo'>();
  const approves = useMay('changes.approve');
  const overrides = useMay('changes.override');
  const proposes = useMay('changes.propose');
  const mayUndo = proposes && (mine || approves);
  const close = () => setAsking(undefined);
  const act = async (decision: Decision, reason?: string) => {
    await decide(decision, sheet.id, reason);
    await client.invalidateQueries({ queryKey: changeQueries.all() });
  };
  const waiting = sheet.status === 'waiting';
  const undoable =
    ['applied', 'running', 'applying', 'ending'].includes(sheet.status) ||
    (sheet.status === 'ended' && sheet.kept > 0);
  return (
    <div className={s.actions}>
      {isPending(sheet) ? (
        <Link className={s.preview} to={`/admin/changes/${sheet.id}/preview`}>
          {w.preview}
        </Link>
      ) : null}
      {isDraft(sheet) && mine && proposes ? (
        <Action kind="strong" onClick={() => setAsking('apply')}>
          {w.apply}
        </Action>
      ) : null}
      {waiting && approves && !mine ? (
        <>
          <Action kind="strong" onClick={() => setAsking('approve')}>
            {w.approve}
          </Action>
          <Action onClick={() => setAsking('reject')}>{w.reject}</Action>
        </>
      ) : null}
      {waiting && overrides && !isDraft(sheet) ? (
        <Action onClick={() => setAsking('override')}>{w.override}</Action>
      ) : null}
      {(waiting || sheet.status === 'planned') && mayUndo ? (
        <Action onClick={() => setAsking('cancel')}>{w.cancel}</Action>
      ) : null}
      {undoable && mayUndo ? <Action onClick={() => setAsking('undo')}>{w.undo}</Action> : null}
      {asking === 'approve' ? (
        <Confirm title={w.approve} button={w.approve} act={() => act('approve')} close={close}>
          {w.approveAbout(count(sheet.items))}
        </Confirm>
      ) : null}
      {asking === 'apply' ? (
        <Confirm title={w.apply} button={w.apply} act={() => act('apply')} close={close}>
          {w.applyAbout}
        </Confirm>
      ) : null}
      {asking === 'override' || asking === 'reject' || asking === 'cancel' ? (
        <WithReason
          title={w[asking]}
          label={w.why}
          button={w[asking]}
          danger={asking === 'override'}
          most={1000}
          act={(reason) => act(asking, reason)}
          close={close}
        >
          {w.about[asking]}
        </WithReason>
      ) : null}
      {asking === 'undo' ? <Undo sheet={sheet} close={close} /> : null}
    </div>
  );
}

const columns = (then: Then): Column<ChangeItem>[] => [
  {
    key: 'thing',
    title: w.thing,
    head: true,
    cell: ({ thing, id, name, article }) => (
      <>
        {name || (id === thing ? thingName(thing) : `${thingName(thing)} ${id}`)}
        <span className={t.sub}>
          <Link className={t.link} to={then(`/admin/changes?thing=${thing}&id=${encodeURIComponent(id)}`)}>
            {w.history}
          </Link>
          {article ? ` · ${article}` : ''}
        </span>
      </>
    ),
  },
  { key: 'field', title: w.field, cell: ({ thing, field }) => fieldName(field, thing) },
  {
    key: 'values',
    title: w.wasNow,
    cell: ({ was, now, field, hidden }) => <WasNow was={was} now={now} field={field} hidden={hidden} />,
  },
  {
    key: 'outcome',
    title: w.outcome,
    cell: ({ field, outcome, ended, found, code, detail }) => (
      <div>
        {outcome ? w.outcomes[outcome] : w.notYet}
        {outcome === 'conflict' || ended === 'conflict' ? (
          <span className={t.sub}>{w.found(said(found, field))}</span>
        ) : null}
        {outcome === 'refused' || ended === 'refused' ? (
          <span className={t.sub}>{refusal({ code, detail })}</span>
        ) : null}
        {ended && outcome === 'done' ? (
          <span className={t.sub}>{ended === 'conflict' || ended === 'refused' ? w.stays : w.back}</span>
        ) : null}
      </div>
    ),
  },
];
