import type { ReactNode } from 'react';
import f from './field.module.css';

/** A small field under its label. */
export const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the field is the child
  <label className={f.field}>
    {label}
    {children}
  </label>
);
