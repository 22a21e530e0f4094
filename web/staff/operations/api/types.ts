import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type Projection = Schemas['Projection'];
export type ProjectionState = Projection['state'];
export type Projections = Schemas['Projections'];
export type Rates = Schemas['Rates'];

export type Build = Schemas['Build'];
export type BuildState = Build['state'];
export type BuildKind = Build['kind'];
export type Builds = Schemas['Builds'];
export type NewBuild = Schemas['NewBuild'];
export type Differences = Schemas['Differences'];
export type Difference = Schemas['Difference'];

/** An event; the description cannot say that its payload is any JSON. */
export type LogEvent = Omit<Schemas['Event'], 'data'> & { data: unknown };
export type LogPage = Omit<Schemas['Events'], 'events'> & { events: LogEvent[] };

export type SecurityRecord = Schemas['SecurityRecord'];
export type SecurityPage = Schemas['SecurityPage'];

export type DeadLetter = Schemas['DeadLetter'];
export type DeadLetters = Schemas['DeadLetters'];
export type OneDeadLetter = DeadLetter & { event: LogEvent };
export type DryRun = Schemas['DryRunResults'];
export type Action = Schemas['Action'];
export type Actions = Schemas['Actions'];

export type Health = Schemas['Health'];
export type Statement = Schemas['Statement'];
