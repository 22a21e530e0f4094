import type { FunctionComponent } from 'react';
import { onDemand } from '../kit/design/on-demand';
import { useLocation } from '../kit/router/router';
import type { Permission } from './api/types';
import { frameTexts } from './texts/ru';

/** A part of the staff app with its own screens, loaded when it is opened. */
export type Section = {
  /** Where it begins, and what all its addresses begin with. */
  home: string;
  name: () => string;
  /** It opens for a role with any of these. */
  needs: Permission[];
  load: () => Promise<{ default: FunctionComponent }>;
};

const declared: Section[] = [
  {
    home: '/admin',
    name: () => frameTexts.office,
    needs: [
      'orders.see',
      'orders.deliver',
      'reviews.moderate',
      'catalog.see',
      'content.change',
      'staff.manage',
    ],
    load: () => import('./office/office').then(({ Office }) => ({ default: Office })),
  },
  {
    home: '/ops',
    name: () => frameTexts.operations,
    needs: ['projections.see', 'log.see', 'health.see'],
    load: () => import('./operations/operations').then(({ Operations }) => ({ default: Operations })),
  },
  {
    home: '/analytics',
    name: () => frameTexts.analytics,
    needs: ['reports.see'],
    load: () => import('./analytics/analytics').then(({ Analytics }) => ({ default: Analytics })),
  },
];

/** Every section with the component that draws it. To add one: a folder beside the others, and a line above. */
export const sections = declared.map((section) => ({ ...section, Screens: onDemand(section.load) }));

/** The section that an address belongs to; the first one for any other address. */
export const sectionOf = (pathname: string) =>
  sections.find(({ home }) => pathname === home || pathname.startsWith(`${home}/`)) ??
  (sections[0] as (typeof sections)[number]);

/** The section that is open. */
export const useSection = () => sectionOf(useLocation().pathname);

/** Whether somebody with such permissions may open a section. */
export const mayOpen = ({ needs }: Section, permissions: Permission[]): boolean =>
  needs.some((one) => permissions.includes(one));
