import type { components } from './schema';

type Schemas = components['schemas'];

export type ProductCard = Schemas['ProductCard'];
export type Product = Schemas['Product'];
export type ProductPage = Schemas['ProductPage'];
export type Review = Schemas['Review'];
export type ReviewPage = Schemas['ReviewPage'];
export type Mark = Schemas['Mark'];
export type Category = Schemas['Category'];
export type Brand = Schemas['Brand'];
export type Rules = Schemas['Rules'];
export type Shop = Schemas['Shop'];
export type Slide = Schemas['ContentBlock']['file_content'][number];
export type Calculation = Schemas['Calculation'];
export type CalculateRequest = Schemas['CalculateRequest'];
export type OrderRequest = Schemas['OrderRequest'];
export type OrderCreated = Schemas['OrderCreated'];
export type Variants = Schemas['Picture'];
export type Profile = Schemas['Profile'];
export type ProfileChange = Schemas['ProfileChange'];
export type Registration = Schemas['Registration'];
export type Access = Schemas['Access'];
export type Bonuses = Schemas['Bonuses'];
export type BonusEntry = Schemas['BonusEntry'];
export type Order = Schemas['Order'];
export type OrderDetail = Schemas['OrderDetail'];
