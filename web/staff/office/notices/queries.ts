import { queryOptions } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];
export type Cause = Schemas['NoticeCause'];
export type Choice = Schemas['NoticeChoice'];
export type Notices = Schemas['Notices'];
export type Webhook = Schemas['Webhook'];
export type WebhookSetting = Schemas['WebhookSetting'];

export const noticeQueries = {
  mine: () =>
    queryOptions({
      queryKey: ['office', 'notices'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/notices/', { signal })),
    }),
  webhooks: () =>
    queryOptions({
      queryKey: ['office', 'webhooks'],
      queryFn: ({ signal }) => answer(api.GET('/api/staff/notices/webhooks/', { signal })),
      refetchInterval: 15_000,
    }),
};

const of = (id: string) => ({ params: { path: { id } } });

export const choose = (body: Choice) => done(api.PUT('/api/staff/notices/', { body }));
export const tryMine = () => done(api.POST('/api/staff/notices/trial/'));
export const addBrowser = (body: Schemas['PushSubscription']) =>
  done(api.POST('/api/staff/notices/browsers/', { body }));
export const dropBrowser = (id: string) => done(api.DELETE('/api/staff/notices/browsers/{id}/', of(id)));
export const saveWebhook = (id: string | undefined, body: WebhookSetting) =>
  done(
    id
      ? api.PUT('/api/staff/notices/webhooks/{id}/', { ...of(id), body })
      : api.POST('/api/staff/notices/webhooks/', { body }),
  );
export const dropWebhook = (id: string) => done(api.DELETE('/api/staff/notices/webhooks/{id}/', of(id)));
export const tryWebhook = (id: string) => done(api.POST('/api/staff/notices/webhooks/{id}/trial/', of(id)));
