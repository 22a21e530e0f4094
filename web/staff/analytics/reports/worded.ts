import type { FunnelStep, Report, ReportKind } from '../api/types';
import { reportWords } from '../texts/reports-ru';
import { reportTexts } from '../texts/ru';

/** A report's title and what it is about, in the language of the app; one that has no words here says what the server says. */
export function wordedKind(kind: ReportKind): ReportKind {
  const [title, about] = reportWords.reports[kind.name] ?? [kind.title, kind.about];
  return { ...kind, title, about: about ?? kind.about };
}

/** The same of a report's answer: its columns, steps, notes and what its rows name by a key. */
export function worded(report: Report): Report {
  const { report: name, columns, rows, notes, steps } = report;
  return {
    ...report,
    title: reportWords.reports[name]?.[0] ?? report.title,
    columns: columns.map((column) => {
      const [title, about] = reportWords.columns[`${name}.${column.key}`] ??
        reportWords.columns[column.key] ?? [column.title, column.about];
      return { ...column, title, about: about ?? column.about };
    }),
    rows: rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, wordOf(key, row[`${key}_id`] ?? value) ?? value]),
      ),
    ),
    notes: notes.map((note) => reportWords.notes[note] ?? note),
    ...(steps ? { steps: steps.map(wordedStep) } : {}),
  };
}

function wordedStep(step: FunnelStep): FunnelStep {
  const { lost } = step;
  return {
    ...step,
    title: wordOf('step', step.step) ?? step.title,
    lost: {
      ...lost,
      reasons: lost.reasons.map((one) => ({ ...one, title: wordOf('reason', one.reason) ?? one.title })),
    },
  };
}

/** What a value of a column is called, when the server names it by a key. */
function wordOf(column: string, value: string | number | null | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (column === 'step') return reportWords.columns[value]?.[0];
  if (column === 'reason') return reportWords.reasons[value];
  if (column === 'payment') return (reportTexts.payments as Record<string, string>)[value];
  return column === 'promocode' && value === 'none' ? reportWords.noPromocode : undefined;
}
