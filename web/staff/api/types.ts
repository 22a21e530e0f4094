import type { components } from './schema';

type Schemas = components['schemas'];

export type Permission = Schemas['Permission'];
export type Me = Schemas['Me'];
export type Enrolment = NonNullable<Schemas['SignInNext']['enrolment']>;
export type SignInAnswer = Me | Schemas['SignInNext'];
